//! One line of `lessons.jsonl` read as fast as it can be: borrowed texts, one pass, no schema. A line that is not of this
//! shape is looked at closely by `lessons`.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Default)]
pub(super) struct Wire<'a> {
    pub(super) timestamp: Cow<'a, str>,
    pub(super) category: Cow<'a, str>,
    pub(super) title: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    pub(super) actionable: Cow<'a, str>,
    pub(super) run_id: Option<Cow<'a, str>>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) utility_score: Option<f64>,
    pub(super) paths: Vec<Cow<'a, str>>,
    /// Fields that are not in the table.
    pub(super) unknown: Vec<Cow<'a, str>>,
}

/// The fields of the table, in its order.
pub(super) const FIELDS: [&str; 10] =
    ["timestamp", "category", "title", "description", "actionable", "run_id", "utility_score", "injection_count", "id", "paths"];
pub(super) const REQUIRED: usize = 5;

impl<'de: 'a, 'a> Deserialize<'de> for Wire<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Wire<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a lesson")
    }

    /// Fails on anything but right types, every required field and no key given twice.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Wire<'de>, A::Error> {
        let mut wire = Wire::default();
        let mut seen = 0u16;
        while let Some(Text(key)) = map.next_key()? {
            let Some(field) = FIELDS.iter().position(|field| *field == key) else {
                map.next_value::<IgnoredAny>()?;
                wire.unknown.push(key);
                continue;
            };
            if seen & (1 << field) != 0 {
                return Err(A::Error::custom("a key given twice"));
            }
            seen |= 1 << field;
            match field {
                0 => wire.timestamp = map.next_value::<Text<'de>>()?.0,
                1 => wire.category = map.next_value::<Text<'de>>()?.0,
                2 => wire.title = map.next_value::<Text<'de>>()?.0,
                3 => wire.description = map.next_value::<Text<'de>>()?.0,
                4 => wire.actionable = map.next_value::<Text<'de>>()?.0,
                5 => wire.run_id = map.next_value::<Option<Text<'de>>>()?.map(|text| text.0),
                6 => wire.utility_score = map.next_value()?,
                7 => drop(map.next_value::<Option<u64>>()?),
                8 => wire.id = map.next_value::<Option<Text<'de>>>()?.map(|text| text.0),
                _ => {
                    let paths: Option<Vec<Text<'de>>> = map.next_value()?;
                    wire.paths = paths.unwrap_or_default().into_iter().map(|text| text.0).collect();
                }
            }
        }
        // the required fields come first in the table
        let required = (1 << REQUIRED) - 1;
        if seen & required == required { Ok(wire) } else { Err(A::Error::custom("a field is missing")) }
    }
}

/// A string, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowed;
        impl<'de> Visitor<'de> for Borrowed {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrowed)
    }
}

#[cfg(test)]
mod tests {
    use super::Wire;

    const LINE: &str = r#"{"timestamp":"t","category":"c","title":"ti\"tle","description":"d","actionable":"a""#;

    #[test]
    fn a_line_of_the_right_shape_is_read() {
        let line = format!(r#"{LINE},"x":[1],"id":null,"paths":["p"],"injection_count":3}}"#);
        let wire: Wire<'_> = serde_json::from_str(&line).expect("right");
        assert_eq!((&*wire.title, wire.unknown.len(), wire.paths.len()), ("ti\"tle", 1, 1));
    }

    #[test]
    fn anything_else_is_left_to_a_closer_look() {
        for end in [
            r#","title":"again"}"#,
            r#","run_id":1}"#,
            r#","utility_score":"1"}"#,
            r#","injection_count":-1}"#,
            r#","paths":"p"}"#,
            "",
        ] {
            assert!(serde_json::from_str::<Wire<'_>>(&format!("{LINE}{end}")).is_err(), "{end}");
        }
        assert!(serde_json::from_str::<Wire<'_>>(r#"{"title":"t"}"#).is_err());
    }
}
