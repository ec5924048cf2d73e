//! Columns as wide as their content, two spaces between them, no lines: as git and cargo print lists.

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr as _;

use super::style;

/// Rows of cells under a faint header (none where it is empty). Cells may hold colours; the last column is not padded.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let faint = style::FAINT;
    let titles: Vec<String> = header.iter().map(|title| format!("{faint}{title}{faint:#}")).collect();
    let all: Vec<&[String]> =
        (!titles.is_empty()).then_some(titles.as_slice()).into_iter().chain(rows.iter().map(Vec::as_slice)).collect();
    let columns = all.iter().map(|row| row.len()).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..columns).map(|i| all.iter().filter_map(|row| row.get(i)).map(|cell| width(cell)).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in all {
        for (i, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if i + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[i] - width(cell) + 2));
            }
        }
        text.push('\n');
    }
    text
}

fn width(cell: &str) -> usize {
    strip_str(cell).to_string().width()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_line_up_whatever_the_script_and_colour() {
        let rows = [vec!["李".to_owned(), "1".to_owned()], vec!["\u{1b}[1mabc\u{1b}[0m".to_owned(), "22".to_owned()]];
        let plain = anstream::adapter::strip_str(&table(&["name", "n"], &rows)).to_string();
        assert_eq!(plain, "name  n\n李    1\nabc   22\n");
    }
}
