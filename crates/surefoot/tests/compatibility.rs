//! Which model files are read: those of the one version of the format that there is, and no other.
//!
//! With the first release, its models are stored here, and every later version must predict the same with them
//! (docs/reference/model-file.md).

#[path = "common/models.rs"]
mod models;

use models::models;
use surefoot::data::model_file::{FORMAT_VERSION, ModelProblem, from_bytes, read_header, to_bytes};
use surefoot::prelude::*;

#[test]
fn every_model_says_the_same_version() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in models()? {
        let path = folder.path().join("model");
        Model::from_bytes(&bytes)?.save(&path)?;
        assert_eq!(read_header(&path)?.version, FORMAT_VERSION, "{name}");
        assert!(std::fs::read(&path).expect("a file") == bytes, "{name} is saved as it was loaded");
    }
    Ok(())
}

#[test]
fn another_version_is_refused_by_its_number() -> Result<()> {
    let (mut header, state) = from_bytes(&models::points()?).expect("a model");
    for version in [0, 2, 3, 99, u64::MAX] {
        header.version = version;
        let bytes = to_bytes(&header, &state).expect("bytes");
        let refused = from_bytes(&bytes).expect_err("another version");
        assert!(matches!(refused, ModelProblem::Version { found, known: 1 } if found == version));
        let message = Model::from_bytes(&bytes).expect_err("another version").to_string();
        let said = format!("format version {version}; this program reads version 1:");
        assert!(message.contains(&said), "{message}");
    }
    Ok(())
}
