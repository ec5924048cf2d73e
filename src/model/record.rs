//! A JSON object whose fields keep their order and, until they are set, their very bytes: how a line is edited
//! without losing what we do not know. What the fields mean is `lesson`'s and `pack`'s.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

#[derive(Clone, Debug, Default)]
pub struct Record {
    fields: Vec<(String, Box<RawValue>)>,
}

impl Record {
    /// Reads one JSON object; anything else is an error. A key given twice is kept twice.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The raw text of the last field of that name, which is the one JSON readers take.
    pub fn raw(&self, key: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    pub fn get<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<T> {
        serde_json::from_str(self.raw(key)?).ok()
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// Every field in order, as key and raw text; of a key given twice the last one counts.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.get()))
    }

    /// Sets a field in its place, or appends it. A value that already means the same keeps its bytes.
    pub fn set(&mut self, key: &str, value: impl Serialize) {
        let value = serde_json::value::to_raw_value(&value).expect("plain data always serialises");
        self.set_raw(key, value);
    }

    /// As [`Record::set`], with the value's own bytes.
    pub fn set_raw(&mut self, key: &str, value: Box<RawValue>) {
        match self.fields.iter_mut().rev().find(|(name, _)| name == key) {
            Some((_, old)) if same_value(old.get(), value.get()) => {}
            Some((_, old)) => *old = value,
            None => self.fields.push((key.to_owned(), value)),
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.fields.retain(|(name, _)| name != key);
    }

    /// One line of JSON, without its end of line.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("raw values are valid JSON")
    }
}

/// Whether two JSON texts mean the same value: number spelling, escapes and spacing aside.
pub fn same_value(a: &str, b: &str) -> bool {
    a == b
        || matches!(
            (serde_json::from_str::<serde_json::Value>(a), serde_json::from_str::<serde_json::Value>(b)),
            (Ok(a), Ok(b)) if a == b
        )
}

impl FromIterator<(String, Box<RawValue>)> for Record {
    fn from_iter<T: IntoIterator<Item = (String, Box<RawValue>)>>(fields: T) -> Self {
        Self { fields: fields.into_iter().collect() }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (key, value) in &self.fields {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Record;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Record { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    #[test]
    fn only_what_is_set_changes() {
        let line = r#"{"z": 1.0, "é":"\u00e9",  "n":12345678901234567890123,"a":[1, 2]}"#;
        let mut record = Record::parse(line).expect("valid");
        record.set("a", [1, 2]);
        record.set("b", "new");
        assert_eq!(record.to_line(), r#"{"z":1.0,"é":"\u00e9","n":12345678901234567890123,"a":[1, 2],"b":"new"}"#);
        record.set("z", 2);
        record.remove("a");
        assert_eq!(record.to_line(), r#"{"z":2,"é":"\u00e9","n":12345678901234567890123,"b":"new"}"#);
    }
}
