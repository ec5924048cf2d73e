//! How relevant a pack or a lesson is to a file: values in, values out, the clock an argument. What is then put
//! before an agent, and how much of it, is `inject`'s.

pub mod glob;
pub mod lessons;
pub mod select;
pub mod signals;
mod spelling;
mod wild;
