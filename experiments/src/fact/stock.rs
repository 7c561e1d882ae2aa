//! The stock task of FACT §4.3: daily prices to examples.

use surefoot_core::Vector;
use surefoot_data::{FormatOptions, Random, ReadOptions, Record, RecordPart, each_record};

use crate::data::Data;
use crate::stream::Example;
use crate::{Error, Result};

/// Days of a window, the last of which is today.
pub(super) const WINDOW: usize = 50;

/// Open, high, low, close.
type Day = [f64; 4];

/// Prices of all stocks on all days, the target first.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) stocks: Vec<Vec<Day>>,
}

impl Market {
    /// From the rows `ticker,date,open,high,low,close`, sorted by ticker (the target first) and date.
    pub(super) fn read(data: &Data) -> Result<Self> {
        let columns = FormatOptions { label: Some("ticker".into()), ..FormatOptions::default() };
        let options = ReadOptions { columns, ..ReadOptions::default() };
        let (mut ticker, mut stocks) = (None, Vec::<Vec<Day>>::new());
        each_record(&[data.file("stock_ohlc_dev.csv.zst")?], &options, &mut |record| {
            if record.label != ticker {
                ticker.clone_from(&record.label);
                stocks.push(Vec::new());
            }
            let day = ["open", "high", "low", "close"].map(|name| price(record, name));
            if let Some(stock) = stocks.last_mut() {
                stock.push(day);
            }
            Ok(())
        })?;
        let days = stocks.first().map_or(0, Vec::len);
        if days <= WINDOW || stocks.iter().any(|stock| stock.len() != days) {
            return Err(Error::Other("the stocks do not share their days, or these are too few".into()));
        }
        Ok(Self { stocks })
    }

    /// Random walks with a common part, for quick runs.
    pub(super) fn walk(stocks: usize, days: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let common: Vec<f64> = (0..days).map(|_| 0.01 * random.normal()).collect();
        let mut walk = || {
            let mut close = 20.0;
            let mut next = |common: &f64| {
                let open = close;
                close *= 1.0 + common + 0.005 * random.normal();
                [open, close.max(open), close.min(open), close]
            };
            common.iter().map(&mut next).collect()
        };
        Self { stocks: (0..stocks).map(|_| walk()).collect() }
    }

    /// One example a day: prices of these predictors in the window, relative to the close before it; whether the
    /// target closes higher than the day before.
    pub(super) fn examples(&self, predictors: &[usize]) -> Result<Vec<Example>> {
        let days = self.stocks.first().map_or(0, Vec::len);
        let example = |today: usize| {
            let mut values = Vec::with_capacity(predictors.len() * 4 * WINDOW);
            for &predictor in predictors {
                let stock = &self.stocks[predictor];
                let base = stock[today - WINDOW][3];
                values.extend(
                    stock[today + 1 - WINDOW..=today].iter().flatten().map(|price| price / base - 1.0),
                );
            }
            let target = &self.stocks[0];
            Ok((Vector::from_dense(&values)?, usize::from(target[today][3] > target[today - 1][3])))
        };
        (WINDOW..days).map(example).collect()
    }

    /// So many predictors drawn at random, the target not among them.
    pub(super) fn draw(&self, count: usize, seed: u64) -> Vec<usize> {
        let all: Vec<usize> = (1..self.stocks.len()).collect();
        crate::stream::shuffled(&all, seed).into_iter().take(count).collect()
    }
}

fn price(record: &Record, name: &str) -> f64 {
    let of = |part: &RecordPart| match part {
        RecordPart::Feature(feature, value) if feature == name.as_bytes() => Some(*value),
        _ => None,
    };
    record.parts.iter().find_map(of).unwrap_or(f64::NAN)
}
