//! How useful a lesson has proved to be: a number from how often it was injected and how often that was good.

/// Scores are told apart in steps of this size, so that ties are common and the next rule of the ranking matters.
pub const STEP: f64 = 0.05;

/// `(1 + good) / (2 + count)`, in steps of 0.05: one half where nothing is known, near 1 after many good ones.
pub fn utility(injected: u64, good: u64) -> f64 {
    step((1 + good.min(injected)) as f64 / (2 + injected) as f64)
}

/// How many were good of so many, where that score is all that was kept: the nearest number, for the steps lose the rest.
pub fn good(score: f64, injected: u64) -> u64 {
    let good = (score * (2 + injected) as f64 - 1.0).round();
    (good.max(0.0) as u64).min(injected)
}

/// The nearest multiple of 0.05 within 0 and 1, as it is written (no `0.30000000000000004`).
pub fn step(score: f64) -> f64 {
    (score.clamp(0.0, 1.0) / STEP).round() * 5.0 / 100.0
}

#[cfg(test)]
mod tests {
    use super::{good, step, utility};

    #[test]
    fn utility_begins_at_a_half_and_follows_what_happened() {
        for (injected, good, expected) in [(0, 0, 0.5), (1, 1, 0.65), (1, 0, 0.35), (20, 20, 0.95), (24, 24, 0.95), (20, 0, 0.05)]
        {
            assert_eq!(utility(injected, good), expected, "{good} of {injected}");
        }
        assert_eq!(utility(2, 9), utility(2, 2), "more good than injected is a broken count");
    }

    #[test]
    fn a_kept_score_tells_how_many_were_good() {
        for injected in 0..40 {
            for right in 0..=injected {
                let score = utility(injected, right);
                assert_eq!(utility(injected, good(score, injected)), score, "{right} of {injected}");
            }
        }
    }

    #[test]
    fn steps_are_written_short() {
        for i in 0..=100u32 {
            let text = format!("{}", step(f64::from(i) / 100.0));
            assert!(text.len() <= 4, "{text}");
        }
        assert_eq!((step(-1.0), step(2.0), step(0.3)), (0.0, 1.0, 0.3));
    }
}
