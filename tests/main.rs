//! One test binary: a file per command or property, all in the sealed world that `support` makes.
