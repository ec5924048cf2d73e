//! A sentence as the classifier reads it: folded words, one after the other, with the breaks between them.
//!
//! Folding takes away what people leave out when they type fast: case, accents, apostrophes, full-width forms.
//! Scripts without spaces (and Korean, where people space as they like) are read character by character.

/// Stands for a stretch that was quoted or code: something spoken of, not spoken.
pub const OBJECT: &str = "\u{FFFC}";

/// One word (or one character of a script read by characters).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// The punctuation between this word and the one before: a comma, a colon, a dash, a bracket.
    pub cut: Option<char>,
    /// Whether white space stands before it.
    pub spaced: bool,
    /// A path, a number, a name with marks in it: never a word of a language.
    pub identifier: bool,
}

/// The tokens of one sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub words: Vec<Token>,
    /// Whether the sentence ends with a question mark.
    pub question: bool,
}

impl Tokens {
    /// Reads at most `limit` tokens.
    pub fn read(sentence: &str, limit: usize) -> Self {
        let mut reader = Reader { out: Tokens::default(), cut: None, spaced: false };
        let mut word = String::new();
        for raw in sentence.chars() {
            if reader.out.words.len() >= limit {
                break;
            }
            let char = narrow(raw);
            if char.is_whitespace() {
                reader.word(&mut word);
                reader.spaced = true;
            } else if is_single(char) || is_pictograph(char) || char == '\u{FFFC}' {
                reader.word(&mut word);
                reader.push(char.to_string(), char == '\u{FFFC}');
            } else {
                word.push(char);
            }
        }
        reader.word(&mut word);
        let tail =
            sentence.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '»' | '」' | ')' | '!' | '！'));
        // "you pushed to main??" is no question
        let exclaimed = sentence.trim_end().ends_with(['!', '！']) || tail.ends_with("??") || tail.ends_with("？？");
        reader.out.question = tail.ends_with(['?', '？', '⁇', '؟']) && !exclaimed;
        reader.out
    }
}

struct Reader {
    out: Tokens,
    cut: Option<char>,
    spaced: bool,
}

impl Reader {
    fn push(&mut self, text: String, identifier: bool) {
        self.out.words.push(Token { text, cut: self.cut.take(), spaced: std::mem::take(&mut self.spaced), identifier });
    }

    /// What stood between two white spaces: punctuation around, then a word, a hyphenated one, or an identifier.
    fn word(&mut self, word: &mut String) {
        if word.is_empty() {
            return;
        }
        let raw = std::mem::take(word);
        let opens = |c: char| !c.is_alphanumeric() && !matches!(c, '@' | '#' | '$' | '_' | '/' | '.' | '~');
        let core = raw.trim_start_matches(opens);
        if core.len() < raw.len() {
            self.cut = self.cut.or(raw.chars().find(|&c| !matches!(c, '\'' | '"' | '*')));
        }
        let closes = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '+' | '#');
        let end = core.trim_end_matches(closes).len();
        let (core, tail) = core.split_at(end);
        if !core.is_empty() {
            if is_identifier(core) {
                self.push(fold(core), true);
            } else {
                for (i, part) in core.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '\u{2019}')).enumerate() {
                    if i > 0 && self.cut.is_none() {
                        self.cut = core.chars().find(|c| matches!(c, ',' | ';' | ':' | '\u{2014}'));
                    }
                    self.apostrophe(&fold(part));
                }
            }
        }
        if let Some(mark) = tail.chars().find(|&c| !matches!(c, '\'' | '\u{2019}' | '"' | '*')) {
            self.cut = Some(mark);
        }
    }

    /// `don't` is do, not; `l'await` is l, await.
    fn apostrophe(&mut self, part: &str) {
        if part.is_empty() {
            return;
        }
        if let Some(&(_, words)) = SHORT.iter().find(|(short, _)| *short == part) {
            return words.split(' ').for_each(|word| self.push(word.to_owned(), false));
        }
        let Some((head, tail)) = part.split_once('\'') else {
            return self.push(part.to_owned(), false);
        };
        let (head, tail) = match tail {
            "t" if head.ends_with('n') => (head.strip_suffix('n').unwrap_or(head), "not"),
            "s" if POSSESSIVE_IS.contains(&head) => (head, if head == "let" { "us" } else { "is" }),
            "s" => (head, ""),
            "re" => (head, "are"),
            "ll" => (head, "will"),
            "ve" => (head, "have"),
            "m" => (head, "am"),
            "d" => (head, "would"),
            other => (head, other),
        };
        let head = match (head, tail) {
            ("ca", "not") => "can",
            ("wo", "not") => "will",
            other => other.0,
        };
        for word in [head, tail].into_iter().filter(|word| !word.is_empty()) {
            self.push(word.replace('\'', ""), false);
        }
    }
}

/// After these an `'s` is `is`, after others it says whose.
const POSSESSIVE_IS: [&str; 10] = ["that", "it", "what", "here", "there", "where", "who", "he", "she", "let"];

/// What people type for what they mean.
const SHORT: [(&str, &str); 27] = [
    ("dont", "do not"),
    ("doesnt", "does not"),
    ("didnt", "did not"),
    ("isnt", "is not"),
    ("wasnt", "was not"),
    ("arent", "are not"),
    ("werent", "were not"),
    ("cant", "can not"),
    ("cannot", "can not"),
    ("wont", "will not"),
    ("shouldnt", "should not"),
    ("couldnt", "could not"),
    ("wouldnt", "would not"),
    ("havent", "have not"),
    ("hasnt", "has not"),
    ("thats", "that is"),
    ("whats", "what is"),
    ("theres", "there is"),
    ("youre", "you are"),
    ("youve", "you have"),
    ("u", "you"),
    ("ur", "your"),
    ("pls", "please"),
    ("plz", "please"),
    ("plse", "please"),
    ("thx", "thanks"),
    ("nvm", "never mind"),
];

fn is_identifier(core: &str) -> bool {
    let mut chars = core.chars().peekable();
    let mut lower = false;
    let mut letters = 0;
    while let Some(char) = chars.next() {
        match char {
            '_' | '@' | '#' | '$' | '=' | '\\' | '(' | '<' | '>' | '{' | '[' | '~' | '`' => return true,
            '/' => return true,
            '.' | ':' if chars.peek().is_some_and(|next| next.is_alphanumeric() || matches!(next, ':' | '/' | '*')) => {
                return true;
            }
            _ if char.is_ascii_digit() => return true,
            _ if char.is_uppercase() && lower => return true,
            _ => {}
        }
        lower = char.is_lowercase();
        letters += usize::from(char.is_alphabetic());
    }
    letters == 0
}

/// Full-width forms as their ordinary ones, the quotes and dashes of all keyboards as one.
pub fn narrow(char: char) -> char {
    match char {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(char) - 0xFEE0).unwrap_or(char),
        '\u{3000}' | '\u{A0}' | '\u{202F}' => ' ',
        '\u{3002}' | '\u{FF61}' => '.',
        '\u{3001}' | '\u{FF64}' => ',',
        '\u{2019}' | '\u{2018}' | '\u{2BC}' | '\u{B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{AB}' | '\u{BB}' => '"',
        other => other,
    }
}

/// Lower case, no accents.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        let char = narrow(char);
        if char.is_ascii() {
            out.push(char.to_ascii_lowercase());
        } else {
            for low in char.to_lowercase() {
                match bare(low) {
                    '\0' => {}
                    'ß' => out.push_str("ss"),
                    'œ' => out.push_str("oe"),
                    'æ' => out.push_str("ae"),
                    other => out.push(other),
                }
            }
        }
    }
    out
}

/// The letter without its accent; `\0` for an accent that stands alone.
fn bare(char: char) -> char {
    match char {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ī' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ō' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' => 'u',
        'ý' | 'ÿ' => 'y',
        'ё' => 'е',
        'й' => 'и',
        '\u{300}'..='\u{36F}' => '\0',
        other => other,
    }
}

/// Han, Kana and Hangul are read one character at a time.
pub fn is_single(char: char) -> bool {
    is_han(char) || is_kana(char) || is_hangul(char)
}

/// Emoji say something, so each is a word.
fn is_pictograph(char: char) -> bool {
    matches!(char, '\u{1F300}'..='\u{1FAFF}' | '\u{2705}' | '\u{2714}' | '\u{274C}' | '\u{2764}')
}

pub fn is_han(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' | '々')
}

pub fn is_kana(char: char) -> bool {
    matches!(char, '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{FF66}'..='\u{FF9D}')
}

pub fn is_hangul(char: char) -> bool {
    matches!(char, '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}')
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    fn read(text: &str) -> String {
        let tokens = Tokens::read(text, 100);
        tokens.words.iter().map(|t| t.cut.map_or(String::new(), String::from) + &t.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_folded_and_breaks_are_kept() {
        for (text, tokens) in [
            ("No, use pnpm!", "no ,use pnpm"),
            ("you DON'T need it; that's the one", "you do not need it ;that is the one"),
            ("dont use the team's force-push", "do not use the team force push"),
            ("l’await n'est pas là", "l await n est pas la"),
            ("müssen ＮＰＭ，ｎｏ", "mussen npm ,no"),
            ("違う、main じゃ", "違 う ,main じ ゃ"),
            ("src/api/user.ts: created_at (not 3.9)", "src/api/user.ts :created_at (not 3.9"),
            ("提交到main，应该", "提 交 到 main ,应 该"),
            ("нет, ещё й", "нет ,еще и"),
            ("use foo—not bar", "use foo —not bar"),
        ] {
            assert_eq!(read(text), tokens, "{text}");
        }
    }

    #[test]
    fn the_question_mark_of_any_width_is_seen() {
        assert!(Tokens::read("what?", 9).question);
        assert!(Tokens::read("どういう意味ですか？", 20).question);
        assert!(!Tokens::read("is it? no", 9).question);
    }
}
