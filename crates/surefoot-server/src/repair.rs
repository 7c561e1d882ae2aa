//! `serve --repair`: the sound prefix of a journal is kept, and the rest is moved into `damaged/`.

use std::fs;
use std::path::Path;

use surefoot::Model;

use crate::Error;
use crate::Result;
use crate::folder::{ServerFolder, make, sync};
use crate::recover::{cut, free_place, row_parser, scan};

/// Repairs every model of a folder that no server uses; what was done, a sentence each.
pub fn repair(folder: &Path) -> Result<Vec<String>> {
    let folder = ServerFolder::open(folder)?;
    let mut done = Vec::new();
    for model in folder.models()? {
        let epoch = model.current()?;
        let scan = scan(&epoch, &row_parser(&Model::load(epoch.base())?)?, epoch.start())?;
        let damaged = epoch.path().join("damaged");
        if let Some(damage) = &scan.damage {
            let place = cut(&epoch, damage)?;
            done.push(format!(
                "{}: kept the records up to {}; {} bytes from byte {} of {} are in {}",
                model.name(),
                scan.last,
                damage.length,
                damage.byte,
                damage.file.display(),
                place.display()
            ));
            for (_, path) in epoch.segments()?.into_iter().filter(|(_, path)| *path > damage.file) {
                done.push(move_out(&path, &damaged)?);
            }
        }
        // What has learned records that are gone would go on from a state that no journal leads to.
        for (_, path) in epoch.snapshots()?.into_iter().filter(|(sequence, _)| *sequence > scan.last) {
            done.push(move_out(&path, &damaged)?);
        }
        sync(&epoch.log())?;
        sync(&epoch.snapshots_folder())?;
    }
    Ok(done)
}

fn move_out(file: &Path, place: &Path) -> Result<String> {
    make(place)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let to = free_place(place, &name);
    fs::rename(file, &to).map_err(Error::io(file))?;
    Ok(format!("moved {} to {}", file.display(), to.display()))
}
