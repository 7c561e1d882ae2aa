//! Interactions: products of the features of two or more fields.

use super::{Builder, Origin};
use crate::batch::{Batch, Span};
use surefoot_core::transform::Transform;

impl Builder<'_> {
    /// Appends the products that the recipe asks for. Their values are products of transformed values.
    pub(super) fn cross(&mut self) {
        let plan = self.plan;
        let members = self.batch.keys.len() - self.start;
        for fields in plan.crossings() {
            let mut chosen = Vec::with_capacity(fields.len());
            self.cross_from(fields, members, &mut chosen);
        }
    }

    /// Chooses a member for the next field; within one field only later members, so that no pair comes twice.
    fn cross_from(&mut self, fields: &[u32], members: usize, chosen: &mut Vec<usize>) {
        let depth = chosen.len();
        if depth == fields.len() {
            return self.push_product(chosen);
        }
        let repeated = depth > 0 && fields[depth] == fields[depth - 1];
        let first = if repeated { chosen[depth - 1] + 1 } else { 0 };
        for member in first..members {
            if self.problem.is_some() {
                return;
            }
            let belongs = self.batch.scratch.fields[member] >> fields[depth] & 1 == 1;
            if belongs && !chosen.contains(&member) {
                chosen.push(member);
                self.cross_from(fields, members, chosen);
                chosen.pop();
            }
        }
    }

    fn push_product(&mut self, chosen: &[usize]) {
        let Batch { names, bytes, values, .. } = &mut *self.batch;
        let mark = bytes.len();
        let mut product = 1.0;
        for &member in chosen {
            let Span { start, len } = names[self.start + member];
            if bytes.len() > mark {
                bytes.push(b'*');
            }
            bytes.extend_from_within(start as usize..start as usize + len as usize);
            product *= values[self.start + member];
        }
        self.push(mark, product, 0, Origin { values: Transform::None, cut: None });
    }
}
