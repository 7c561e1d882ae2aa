//! Choosing from a grid without trying all of it.

use crate::Result;

/// The place on a line of so many settings whose score is above that of both its neighbours, or of the one it has:
/// climbed to from the middle, so that the settings far below it are never tried. None of no settings.
pub(super) fn climb<S: PartialOrd>(
    settings: usize,
    mut score: impl FnMut(usize) -> Result<S>,
) -> Result<Option<(usize, S)>> {
    let Some(last) = settings.checked_sub(1) else { return Ok(None) };
    let mut best = (settings / 2, score(settings / 2)?);
    for downward in [true, false] {
        let began = best.0;
        loop {
            let next =
                if downward { best.0.checked_sub(1) } else { Some(best.0 + 1).filter(|at| *at <= last) };
            let Some(next) = next else { break };
            let found = score(next)?;
            if found <= best.1 {
                break;
            }
            best = (next, found);
        }
        if best.0 != began {
            break;
        }
    }
    Ok(Some(best))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_is_found_and_what_lies_beyond_its_neighbours_is_not_tried() -> Result<()> {
        for top in 0..9usize {
            let mut tried = Vec::new();
            let found = climb(9, |at| {
                assert!(!tried.contains(&at));
                tried.push(at);
                Ok(10 - at.abs_diff(top))
            })?;
            assert_eq!(found, Some((top, 10)));
            assert!(tried.len() <= top.abs_diff(4) + 3, "{tried:?}");
        }
        assert_eq!(climb(0, |_| Ok(0))?, None);
        Ok(())
    }
}
