//! The checked form of a recipe: what is kept, what is crossed, looked up by name.

use std::collections::{HashMap, HashSet};

use super::{Normalize, Recipe, RecipeProblem, Scale, SpaceKind};

/// Fields that the interactions of one recipe may name.
pub(super) const FIELD_LIMIT: usize = 64;

/// What the recipe says of one feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// One bit for each field of the interactions that the feature belongs to.
    pub(crate) fields: u64,
    /// Whether a name of it is in the list of those to keep.
    pub(crate) kept: bool,
    /// Whether a name of it is in the list of those to ignore.
    pub(crate) ignored: bool,
}

impl Traits {
    /// What holds for a feature under this name or that one.
    pub(crate) fn or(self, other: Traits) -> Traits {
        Traits {
            fields: self.fields | other.fields,
            kept: self.kept || other.kept,
            ignored: self.ignored || other.ignored,
        }
    }
}

/// A checked [`Recipe`], ready for the workers.
#[derive(Clone, Debug)]
pub struct Plan {
    recipe: Recipe,
    traits: HashMap<Vec<u8>, Traits>,
    /// Ids kept or ignored, for integer features.
    kept_ids: HashSet<u64>,
    ignored_ids: HashSet<u64>,
    /// Each interaction as bit numbers of its fields.
    crossings: Vec<Vec<u32>>,
}

impl Plan {
    /// Checks a recipe.
    pub fn new(recipe: Recipe) -> Result<Plan, RecipeProblem> {
        recipe.text.check()?;
        let mut plan = Plan {
            traits: HashMap::new(),
            kept_ids: HashSet::new(),
            ignored_ids: HashSet::new(),
            crossings: Vec::new(),
            recipe: recipe.clone(),
        };
        match recipe.space {
            SpaceKind::AsGiven => plan.read_ids(&recipe)?,
            SpaceKind::Hashed { bits, .. } if !(1..=32).contains(&bits) => {
                return Err(RecipeProblem::Bits(bits));
            }
            _ => plan.read_names(&recipe)?,
        }
        if recipe.space == SpaceKind::Auto {
            // Names that are integers select ids too, should the features turn out to be integers.
            plan.kept_ids = recipe.keep.iter().filter_map(|name| name.parse().ok()).collect();
            plan.ignored_ids = recipe.ignore.iter().filter_map(|name| name.parse().ok()).collect();
        }
        Ok(plan)
    }

    fn read_ids(&mut self, recipe: &Recipe) -> Result<(), RecipeProblem> {
        if !recipe.interactions.is_empty() {
            return Err(RecipeProblem::InteractionsOfIntegers);
        }
        let id = |name: &String| name.parse().map_err(|_| RecipeProblem::FieldOfIntegers(name.clone()));
        self.kept_ids = recipe.keep.iter().map(id).collect::<Result<_, _>>()?;
        self.ignored_ids = recipe.ignore.iter().map(id).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn read_names(&mut self, recipe: &Recipe) -> Result<(), RecipeProblem> {
        for name in &recipe.keep {
            self.traits.entry(name.clone().into_bytes()).or_default().kept = true;
        }
        for name in &recipe.ignore {
            self.traits.entry(name.clone().into_bytes()).or_default().ignored = true;
        }
        let mut fields: Vec<&str> = recipe.interactions.iter().flat_map(|group| group.split('*')).collect();
        fields.sort_unstable();
        fields.dedup();
        if fields.len() > FIELD_LIMIT {
            return Err(RecipeProblem::TooManyFields(fields.len()));
        }
        for (bit, name) in fields.iter().enumerate() {
            self.traits.entry(name.as_bytes().to_vec()).or_default().fields = 1 << bit;
        }
        for group in &recipe.interactions {
            self.crossings.push(crossing(group, &fields)?);
        }
        Ok(())
    }

    /// The settings.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether the length of a row depends on its parsed values alone, and is made 1.
    pub(crate) fn makes_unit_rows(&self) -> bool {
        self.recipe.normalize == Normalize::L2 && self.recipe.scale == Scale::None
    }

    /// Whether any feature is treated apart because of its name.
    pub(crate) fn is_selective(&self) -> bool {
        !self.traits.is_empty()
    }

    /// Whether any integer feature is left out.
    pub(crate) fn selects_ids(&self) -> bool {
        !self.kept_ids.is_empty() || !self.ignored_ids.is_empty()
    }

    /// Whether an integer feature stays.
    pub(crate) fn wants_id(&self, id: u64) -> bool {
        (self.kept_ids.is_empty() || self.kept_ids.contains(&id)) && !self.ignored_ids.contains(&id)
    }

    /// What is said of a namespace, a column or a `namespace^column`.
    pub(crate) fn traits(&self, name: &[u8]) -> Traits {
        self.traits.get(name).copied().unwrap_or_default()
    }

    /// Whether a feature with these traits stays.
    pub(crate) fn wants(&self, traits: Traits) -> bool {
        (self.recipe.keep.is_empty() || traits.kept) && !traits.ignored
    }

    /// Each interaction as bit numbers of [`Traits::fields`], in ascending order.
    pub(crate) fn crossings(&self) -> &[Vec<u32>] {
        &self.crossings
    }
}

fn crossing(group: &str, fields: &[&str]) -> Result<Vec<u32>, RecipeProblem> {
    let mut bits = Vec::new();
    for name in group.split('*') {
        match fields.binary_search(&name) {
            Ok(bit) if !name.is_empty() => bits.push(bit as u32),
            _ => return Err(RecipeProblem::Interaction(group.to_string())),
        }
    }
    if bits.len() < 2 {
        return Err(RecipeProblem::Interaction(group.to_string()));
    }
    // A*B and B*A are the same features; equal fields must stand together to be crossed without repetition.
    bits.sort_unstable();
    Ok(bits)
}
