//! How the program is linked; no part of it. Linux's linker alone is told something.

fn main() {
    println!("cargo:rerun-if-changed=src/build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // At a fixed address nothing is relocated at start: a hundred pages less to touch before a hook does anything.
        println!("cargo:rustc-link-arg-bin=marvel=-no-pie");
    }
}
