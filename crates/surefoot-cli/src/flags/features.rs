//! From columns and text to features.

use clap::Args;
use surefoot::core::transform::{Transform, View};
use surefoot::core::{LearnerSpec, Spec};
use surefoot::data::{FormatOptions, Ngrams, Normalize, Recipe, Scale, SpaceKind, StopWords, TokenKind};
use surefoot::{Contender, FeatureSearch};

/// How examples become numbers. What is not said stays as it is by default, or as a model has it.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Features")]
pub struct FeatureFlags {
    /// Transform of each value, sign(x)·f(|x|) [default: as `auto`; else sqrt for text]
    #[arg(long, value_name = "WORD", value_enum)]
    pub values: Option<ValuesWord>,
    /// Length of each example: none leaves it, l2 makes it 1 [default: as `auto`; else l2]
    #[arg(long, value_name = "WORD", value_enum)]
    pub normalize: Option<NormalizeWord>,
    /// Running scale of each feature: rms, standardize (dense) or none [default: none]
    #[arg(long, value_name = "WORD", value_enum)]
    pub scale_features: Option<ScaleWord>,
    /// Add a feature that is always 1 (the default)
    #[arg(long, overrides_with = "no_bias", hide_short_help = true)]
    pub bias: bool,
    /// Add no such feature
    #[arg(long, overrides_with = "bias")]
    pub no_bias: bool,
    /// Hash names into 2^B slots instead of keeping every name
    #[arg(long, value_name = "B")]
    pub bits: Option<u8>,
    /// Cut text into single words only, in a fraction of the time
    #[arg(long, conflicts_with_all = ["ngrams", "char_ngrams"])]
    pub fast: bool,
    /// Lengths of word n-grams, A-B or B for 1-B; `none` for no words
    #[arg(long, value_name = "A-B", value_parser = ngrams)]
    pub ngrams: Option<Lengths>,
    /// Lengths of character n-grams besides the words
    #[arg(long, value_name = "A-B", value_parser = ngrams)]
    pub char_ngrams: Option<Lengths>,
    /// Let character n-grams reach across words
    #[arg(long, hide_short_help = true)]
    pub across_words: bool,
    /// What text is cut into [default: words]
    #[arg(long, value_name = "WORD", value_enum)]
    pub tokens: Option<TokensWord>,
    /// Words to leave out of text [default: none]
    #[arg(long, value_name = "LIST", value_enum)]
    pub stop_words: Option<StopList>,
    /// Tell upper from lower case
    #[arg(long)]
    pub keep_case: bool,
    /// Only these namespaces, columns or feature ids
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// Leave these namespaces, columns or feature ids out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Products of the features of two or more namespaces or columns
    #[arg(long, value_name = "A*B", value_delimiter = ',')]
    pub interactions: Vec<String>,
}

impl FeatureFlags {
    /// Changes what was said. Transform and length are the views of an ensemble's members, if it is one.
    pub fn apply(&self, learner: &mut LearnerSpec, recipe: &mut Recipe) {
        match learner {
            LearnerSpec::Ensemble(members) => self.apply_views(members),
            LearnerSpec::Auto { members, dense, text } => {
                self.apply_views(members);
                self.apply_views(dense);
                self.apply_views(text);
            }
            LearnerSpec::One(_) => {
                if let Some(values) = self.values {
                    (recipe.values, recipe.text.values) = (values.into(), values.into());
                }
                set(&mut recipe.normalize, self.normalize);
            }
        }
        set(&mut recipe.scale, self.scale_features);
        if self.bias || self.no_bias {
            recipe.bias = self.bias;
        }
        if let Some(bits) = self.bits {
            recipe.space = SpaceKind::Hashed { bits, seed: 0 };
        }
        self.apply_text(recipe);
        replace(&mut recipe.keep, &self.keep);
        replace(&mut recipe.ignore, &self.ignore);
        replace(&mut recipe.interactions, &self.interactions);
    }

    /// Gives every member the view that was asked for; members that become the same are one.
    fn apply_views(&self, members: &mut Vec<(Spec, View)>) {
        if self.values.is_none() && self.normalize.is_none() {
            return;
        }
        for (_, view) in members.iter_mut() {
            if let Some(values) = self.values {
                (view.transform, view.scaling) = (values.into(), None);
            }
            if let Some(length) = self.normalize {
                view.unit = length == NormalizeWord::L2;
            }
        }
        let same =
            |a: &(Spec, View), b: &(Spec, View)| a.1 == b.1 && format!("{:?}", a.0) == format!("{:?}", b.0);
        for member in std::mem::take(members) {
            if !members.iter().any(|kept| same(kept, &member)) {
                members.push(member);
            }
        }
    }

    /// A contender as `train` makes it with these flags: the views of an ensemble's members are part of its learner. Those of a
    /// single one are in its recipe already.
    pub fn seen_by(&self, mut contender: Contender) -> Contender {
        if contender.learner.is_ensemble() {
            self.apply(&mut contender.learner, &mut contender.recipe);
        }
        contender
    }

    /// What a search may change: what nothing was said about.
    pub fn left_open(&self) -> FeatureSearch {
        FeatureSearch::default()
            .words(self.ngrams.is_none())
            .characters(self.char_ngrams.is_none())
            .values(self.values.is_none())
            .scale(self.scale_features.is_none())
    }

    fn apply_text(&self, recipe: &mut Recipe) {
        let text = &mut recipe.text;
        if self.fast || self.ngrams.is_some() || self.char_ngrams.is_some() || self.across_words {
            *text = text.clone().uncut();
        }
        set(&mut text.ngrams, self.ngrams.map(|lengths| lengths.0));
        set(&mut text.characters, self.char_ngrams.map(|lengths| lengths.0));
        text.across_words |= self.across_words;
        text.lowercase &= !self.keep_case;
        set(&mut text.tokens, self.tokens);
        set(&mut text.stop_words, self.stop_words);
    }
}

fn set<T, W: Into<T>>(place: &mut T, said: Option<W>) {
    if let Some(word) = said {
        *place = word.into();
    }
}

fn replace(list: &mut Vec<String>, said: &[String]) {
    if !said.is_empty() {
        *list = said.to_vec();
    }
}

/// Which columns mean what.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Columns")]
pub struct ColumnFlags {
    /// Column of the label [default: label, target, class or y]
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
    /// Column of the importance weight [default: importance or sample_weight]
    #[arg(long, value_name = "NAME")]
    pub weight_column: Option<String>,
    /// Column that names each example [default: id or tag]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Columns of running text [default: text, body, message, title, …]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub text_column: Vec<String>,
    /// Columns whose numbers are names, as postal codes are
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub category_column: Vec<String>,
    /// Columns to take as they stand, though they look like text, ids or dates
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    pub value_column: Vec<String>,
    /// Tables have no header: columns are called 1, 2, …
    #[arg(long)]
    pub no_header: bool,
    /// What precedes a label in fastText files [default: __label__]
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub label_prefix: Option<String>,
    /// What stands between the labels of a row that may have several
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub label_separator: Option<String>,
}

impl ColumnFlags {
    /// How records are read and written as they are. The names are those of a table that is written, too: what is read may be
    /// without columns.
    pub fn for_records(&self) -> FormatOptions {
        let mut columns = FormatOptions { unlabelled: true, columnless: true, ..FormatOptions::default() };
        self.apply(&mut columns);
        columns
    }

    /// Changes what was said.
    pub fn apply(&self, columns: &mut FormatOptions) {
        set(&mut columns.label, self.label_column.clone().map(Some));
        set(&mut columns.weight, self.weight_column.clone().map(Some));
        set(&mut columns.id, self.id_column.clone().map(Some));
        replace(&mut columns.text, &self.text_column);
        replace(&mut columns.categories, &self.category_column);
        replace(&mut columns.values, &self.value_column);
        columns.no_header |= self.no_header;
        set(&mut columns.label_prefix, self.label_prefix.clone());
        set(&mut columns.label_separator, self.label_separator.clone().map(Some));
    }
}

/// Lengths of n-grams, or none of them.
#[derive(Debug, Clone, Copy)]
pub struct Lengths(Option<Ngrams>);

fn ngrams(text: &str) -> Result<Lengths, String> {
    if text == "none" {
        return Ok(Lengths(None));
    }
    let (min, max) = text.split_once('-').unwrap_or(("1", text));
    match (min.parse(), max.parse()) {
        (Ok(min), Ok(max)) => Ok(Lengths(Some(Ngrams { min, max }))),
        _ => Err("expected A-B, B or `none`".into()),
    }
}

words! {
    /// Transform of values.
    ValuesWord => Transform {
        /// f(x) = x
        None,
        /// f(x) = 1
        Binary,
        /// f(x) = √x
        Sqrt,
        /// f(x) = ln(1 + x)
        Log,
    }
}
words! {
    /// Length of rows.
    NormalizeWord => Normalize {
        /// As it is
        None,
        /// Euclidean length 1
        L2,
    }
}
words! {
    /// Running scale.
    ScaleWord => Scale {
        /// As it is
        None,
        /// Divided by the root mean square of its non-zero values
        Rms,
        /// Mean 0 and standard deviation 1: every example becomes dense
        Standardize,
    }
}
words! {
    /// What text is cut into.
    TokensWord => TokenKind {
        /// Unicode words
        Words,
        /// What stands between blanks
        Blanks,
        /// The parts of URLs
        Url,
    }
}
words! {
    /// Words to leave out.
    StopList => StopWords {
        /// None of them
        None,
        /// English function words, but no negations
        English,
    }
}
