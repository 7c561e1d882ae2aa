//! The learner: a SPEC, or the same words as flags. The flags of parameters are made from the tables of the rules and
//! stores, so that a new rule or parameter appears here by itself.

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use surefoot::core::LearnerSpec;
use surefoot::core::learner::multiclass;
use surefoot::core::param::{Param, Range};
use surefoot::core::rule::RULES;
use surefoot::core::store::STORES;

use super::features::ScaleWord;
use crate::failure::{Failure, Result};

const HEADING: &str = "Learner";
const PARAMETERS: &str = "Parameters of the learner (`surefoot rules` explains them)";

/// The rule that flags of parameters mean when no rule is named.
const SINGLE: &str = "arow";

/// What the user said about the learner.
#[derive(Debug, Clone, Default)]
pub struct LearnerFlags {
    spec: Option<String>,
    rule: Option<String>,
    covariance: Option<String>,
    parameters: Vec<(&'static str, String)>,
}

impl LearnerFlags {
    /// Whether anything was said.
    pub fn is_given(&self) -> bool {
        self.spec.is_some() || self.rule.is_some() || self.covariance.is_some() || !self.parameters.is_empty()
    }

    /// What to say of flags that mean another learner than the default one.
    pub fn note(&self) -> Option<String> {
        let named = self.spec.is_some() || self.rule.is_some();
        let flag =
            self.covariance.as_ref().map(|_| "covariance").or(self.parameters.first().map(|(name, _)| *name));
        let flag = flag.filter(|_| !named)?;
        Some(format!(
            "--{flag} is of a single learner, so {SINGLE} learns alone and not {}, the default (--rule or --learner names another)",
            surefoot::DEFAULT_LEARNER
        ))
    }

    /// The learner asked for: the SPEC (or the default), then what single flags change of it.
    pub fn learner_spec(&self) -> Result<LearnerSpec> {
        // Single flags speak of a single learner.
        let one = self.covariance.is_some() || !self.parameters.is_empty();
        let usual = self.rule.as_deref().unwrap_or(if one { SINGLE } else { surefoot::DEFAULT_LEARNER });
        let learner = LearnerSpec::parse(self.spec.as_deref().unwrap_or(usual)).map_err(Failure::usage)?;
        if !one {
            return Ok(learner);
        }
        let LearnerSpec::One(mut spec) = learner else {
            return Err(Failure::usage(
                "an ensemble has no parameters of its own; give them to its members: ensemble(SPEC@VIEW; …)",
            ));
        };
        if let Some(store) = &self.covariance {
            spec = spec.on_store(store).map_err(Failure::usage)?;
        }
        for (name, value) in &self.parameters {
            spec.set(name, value).map_err(Failure::usage)?;
        }
        // Settings may exclude each other.
        spec.params().map_err(Failure::usage)?;
        Ok(LearnerSpec::One(spec))
    }
}

impl FromArgMatches for LearnerFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let word = |name: &str| matches.get_one::<String>(name).cloned();
        (self.spec, self.rule, self.covariance) = (word("learner"), word("rule"), word("covariance"));
        self.parameters =
            parameters().iter().filter_map(|(p, _)| word(p.name).map(|value| (p.name, value))).collect();
        Ok(())
    }
}

impl Args for LearnerFlags {
    fn augment_args(command: Command) -> Command {
        let flag = |name: &'static str| Arg::new(name).long(name).help_heading(HEADING);
        let one_of = |flag: Arg, what: &str, names: Vec<&'static str>| {
            let help = format!("{what}: {}", names.join(", "));
            flag.value_parser(PossibleValuesParser::new(names)).hide_possible_values(true).help(help)
        };
        let spec = flag("learner").value_name("SPEC");
        let spec = spec.help("RULE[/STORE][:param=value,…], `auto`, or ensemble(SPEC@VIEW; …)");
        let rules = RULES.iter().map(|rule| rule.name).collect();
        let rule = one_of(flag("rule").conflicts_with("learner"), "How it learns", rules);
        let stores = STORES.iter().map(|store| store.name).collect();
        let store = one_of(flag("covariance").value_name("STORE"), "What it keeps", stores);
        parameters().into_iter().fold(command.args([spec, rule, store]), |command, (param, users)| {
            command.arg(parameter_flag(param, &users))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Every parameter of any rule, store or schedule, each once, with the rules and stores that take it.
fn parameters() -> Vec<(&'static Param, Vec<&'static str>)> {
    let of_rules = RULES.iter().flat_map(|rule| rule.params.iter().map(move |p| (p, Some(rule.name))));
    let of_stores = STORES.iter().flat_map(|store| store.params.iter().map(move |p| (p, Some(store.name))));
    let of_schedules = multiclass::PARAMS.iter().map(|p| (p, None));
    let mut all: Vec<(&Param, Vec<&str>)> = Vec::new();
    for (param, user) in of_rules.chain(of_stores).chain(of_schedules) {
        match all.iter_mut().find(|(known, _)| known.name == param.name) {
            Some((_, users)) => users.extend(user),
            None => all.push((param, user.into_iter().collect())),
        }
    }
    all
}

fn parameter_flag(param: &'static Param, users: &[&str]) -> Arg {
    let users = if users.is_empty() { String::new() } else { format!(" ({})", users.join(", ")) };
    let check = move |text: &str| {
        let found = param.check(text).map(|_| text.trim().to_string());
        found.map_err(|error| match ScaleWord::from_str(text, false) {
            Ok(_) if param.name == "scale" => {
                format!("{error}; features are scaled by --scale-features {text}")
            }
            _ => error.to_string(),
        })
    };
    let flag = Arg::new(param.name)
        .long(param.name)
        .value_name(value_name(param.range))
        .value_parser(ValueParser::new(check))
        .help(format!("{}{users}", param.help))
        .long_help(format!("{}{users}; {}", param.help, param.range))
        .help_heading(PARAMETERS)
        // There are many, and most runs need none.
        .hide_short_help(true);
    match param.range {
        Range::Flag => flag.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Range::Real => flag.allow_negative_numbers(true),
        _ => flag,
    }
}

fn value_name(range: Range) -> &'static str {
    match range {
        Range::Count(_) | Range::CountOr(..) => "N",
        Range::Word(_) => "WORD",
        Range::Flag => "BOOL",
        _ => "NUMBER",
    }
}
