//! `surefoot rules`: every rule, its paper, its parameters.

use std::io::Write;

use clap::Args;
use serde_json::{Value, json};
use surefoot::core::learner::multiclass;
use surefoot::core::param::Param;
use surefoot::core::rule::{RULES, RuleSpec};
use surefoot::core::store::STORES;
use surefoot::core::{AUTO, AUTO_DENSE, AUTO_TEXT, Spec};

use crate::failure::{Failure, Result};
use crate::output;

/// List every rule with its paper and parameters, and every store
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot rules\n  surefoot rules cw-stdev\n  surefoot rules --json")]
pub struct Rules {
    /// One rule in full
    rule: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Rules {
    /// Prints the list.
    pub fn run(self) -> Result<()> {
        let one = self.rule.as_deref().map(surefoot::core::rule::find).transpose().map_err(Failure::usage)?;
        match (self.json, one) {
            (true, one) => output::json(&all_json(one)?),
            (false, Some(rule)) => output::bytes(rule_text(rule)?.as_bytes()),
            (false, None) => print_all(),
        }
    }
}

fn print_all() -> Result<()> {
    let mut out = output::stdout();
    writeln!(
        out,
        "A learner is RULE[/STORE][:param=value,…]; `surefoot rules RULE` shows one rule in full.\n"
    )?;
    writeln!(out, "Rules")?;
    for rule in RULES {
        let params: Vec<&str> = rule.params.iter().map(|p| p.name).collect();
        writeln!(out, "  {:<11} {}", rule.name, rule.title)?;
        writeln!(out, "  {:<11} {}; {}", "", rule.paper, list_or(&params, "no parameter of its own"))?;
    }
    writeln!(out, "\nStores")?;
    for store in STORES {
        let params: Vec<&str> = store.params.iter().map(|p| p.name).collect();
        writeln!(out, "  {:<11} {}", store.name, store.title)?;
        writeln!(out, "  {:<11} {}", "", list_or(&params, "no parameter"))?;
    }
    writeln!(out, "\nMany classes")?;
    for param in multiclass::PARAMS {
        writeln!(out, "{}", param_line(param, param.default))?;
    }
    writeln!(out, "\n`auto` learns these side by side and weights each by how well it has done")?;
    for (spec, view) in AUTO {
        writeln!(out, "  {spec}@{view}")?;
    }
    writeln!(out, "and, where the first rows have at most 1024 features, a quarter of them or more in each")?;
    for (spec, view) in AUTO_DENSE {
        writeln!(out, "  {spec}@{view}")?;
    }
    writeln!(out, "and, where there is text that is not to be cut otherwise")?;
    for (spec, view) in AUTO_TEXT {
        writeln!(out, "  {spec}@{view}")?;
    }
    Ok(out.flush()?)
}

fn list_or(names: &[&str], none: &str) -> String {
    if names.is_empty() { none.to_string() } else { names.join(", ") }
}

fn rule_text(rule: &RuleSpec) -> Result<String> {
    let weights =
        if rule.weighted { "change its step" } else { "have no effect, except that 0 skips an example" };
    let mut text = format!("{}: {}\n{}\n\n", rule.name, rule.title, rule.paper);
    text += &format!("Store by default: {}. Importance weights {weights}.\n\n", rule.store);
    text += &format!("Parameters of {}/{}\n", rule.name, rule.store);
    for (param, default) in defaults(rule)? {
        text += &param_line(param, &default);
        text.push('\n');
    }
    Ok(text)
}

fn param_line(param: &Param, default: &str) -> String {
    format!("  {:<24} {}\n  {:<24} {}", format!("{}={default}", param.name), param.help, "", param.range)
}

/// The parameters of a rule on its own store, with the defaults that hold there.
fn defaults(rule: &RuleSpec) -> Result<Vec<(&'static Param, String)>> {
    let spec = Spec::new(rule.name, None).map_err(Failure::usage)?;
    let params = spec.params().map_err(Failure::usage)?;
    let value =
        |p: &Param| params.iter().find(|(name, _)| *name == p.name).map(|(_, value)| value.to_string());
    Ok(spec.tables().map(|p| (p, value(p).unwrap_or_default())).collect())
}

fn rule_json(rule: &RuleSpec) -> Result<Value> {
    let params = defaults(rule)?.into_iter().map(|(param, default)| param_json(param, &default));
    Ok(json!({
        "name": rule.name, "title": rule.title, "paper": rule.paper, "store": rule.store,
        "weighted": rule.weighted, "parameters": params.collect::<Vec<_>>(),
    }))
}

fn param_json(param: &Param, default: &str) -> Value {
    json!({ "name": param.name, "default": default, "range": param.range.to_string(), "help": param.help })
}

/// Everything; of the rules only one, if one is asked for.
fn all_json(only: Option<&RuleSpec>) -> Result<Value> {
    let rules = RULES.iter().filter(|rule| only.is_none_or(|only| only.name == rule.name));
    let rules = rules.map(|rule| rule_json(rule)).collect::<Result<Vec<_>>>()?;
    let stores = STORES.iter().map(|store| {
        let params: Vec<Value> = store.params.iter().map(|p| param_json(p, p.default)).collect();
        json!({ "name": store.name, "title": store.title, "parameters": params })
    });
    let [auto, dense, text] = [AUTO, AUTO_DENSE, AUTO_TEXT]
        .map(|all| all.iter().map(|(spec, view)| format!("{spec}@{view}")).collect::<Vec<String>>());
    let stores = stores.collect::<Vec<_>>();
    Ok(json!({ "rules": rules, "stores": stores, "auto": auto, "auto_dense": dense, "auto_text": text }))
}
