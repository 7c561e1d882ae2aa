//! The front of the server: HTTP, what is let in, and the routes.

mod call;
mod guard;
mod handle;
mod listen;
mod log;
mod metrics;
mod openapi;
mod options;
mod patient;
mod pending;
mod reply;
mod route;
mod tls;
mod tokens;
mod v2;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use surefoot::Model;
use surefoot::core::Task;

pub use listen::serve;
pub use openapi::document;
pub use options::{LogFormat, ServerOptions, TlsFiles};
pub use tokens::{TokenRole, new_token};

use crate::served::lock;
use crate::{Error, Result, Served, ServerFolder};
use metrics::ServerMetrics;
use pending::Pending;
use tokens::KnownTokens;

/// A server: its models and everything that requests share.
pub struct App {
    pub(crate) options: ServerOptions,
    folder: ServerFolder,
    models: RwLock<BTreeMap<String, Arc<Entry>>>,
    /// Held while a model is created or discarded: one at a time.
    changing: Mutex<()>,
    tokens: Mutex<Option<KnownTokens>>,
    pub(crate) metrics: ServerMetrics,
    pub(crate) ready: AtomicBool,
    requests: AtomicU64,
}

/// A model and the predictions that wait for their labels.
pub(crate) struct Entry {
    pub(crate) served: Arc<Served>,
    pub(crate) pending: Mutex<Pending>,
    /// The version that was asked for last.
    version: Mutex<Option<LoadedVersion>>,
}

/// The name of a version, and its model with the number of its last example.
type LoadedVersion = (String, Arc<(Model, u64)>);

impl Entry {
    /// The model of a version, and the number of its last example.
    pub(crate) fn version(&self, name: &str) -> Result<Arc<(Model, u64)>, reply::ApiError> {
        let mut loaded = lock(&self.version);
        if let Some((of, version)) = &*loaded
            && of == name
        {
            return Ok(version.clone());
        }
        let version = Arc::new(crate::writer::version(self.served.folder(), name)?);
        *loaded = Some((name.into(), version.clone()));
        Ok(version)
    }
}

impl App {
    /// Recovers every model of a folder, which this server has from now on.
    pub fn open(folder: &Path, options: ServerOptions) -> Result<Self> {
        let loopback = options.listen.ip().is_loopback();
        if !loopback && options.tokens.is_none() && !options.no_auth {
            return Err(Error::Unfit(format!(
                "{} can be reached by others, and there are no tokens: make some with `surefoot token` and name the file with \
                 --tokens, or say --no-auth to let every request do everything",
                options.listen
            )));
        }
        let tokens = options.tokens.as_deref().map(KnownTokens::read).transpose()?;
        let folder = ServerFolder::open(folder)?;
        let app = Self {
            options,
            folder,
            models: RwLock::default(),
            changing: Mutex::default(),
            tokens: Mutex::new(tokens),
            metrics: ServerMetrics::default(),
            ready: AtomicBool::new(false),
            requests: AtomicU64::new(0),
        };
        for model in app.folder.models()? {
            app.serve_model(&model.name())?;
        }
        Ok(app)
    }

    /// Creates a model and serves it.
    pub fn create(&self, name: &str, model: &Model) -> Result<()> {
        let place = self.folder.model(name)?;
        if model.task() == Task::Multilabel {
            return Err(Error::Unfit("models of several labels a row are not served".into()));
        }
        let _changing = lock(&self.changing);
        if self.model(name).is_some() {
            return Err(Error::Exists(name.into()));
        }
        place.begin_epoch(&model.to_bytes()?, 0, "created")?;
        self.serve_model(name)
    }

    /// Moves a model into the trash; where it is now.
    pub(crate) fn discard(&self, name: &str) -> Result<Option<std::path::PathBuf>> {
        let _changing = lock(&self.changing);
        let removed = self.models.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        let Some(entry) = removed else { return Ok(None) };
        entry.served.stop();
        self.folder.discard(name).map(Some)
    }

    /// Reads the file of tokens anew; a bad one changes nothing.
    pub(crate) fn reload_tokens(&self) -> Result<()> {
        if let Some(path) = &self.options.tokens {
            *lock(&self.tokens) = Some(KnownTokens::read(path)?);
        }
        Ok(())
    }

    fn serve_model(&self, name: &str) -> Result<()> {
        let entry = self.open_model(name)?;
        self.models.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), entry);
        Ok(())
    }

    fn open_model(&self, name: &str) -> Result<Arc<Entry>> {
        let ServerOptions { learn, threads, pending_time, pending_bytes, log, .. } = &self.options;
        let place = self.folder.model(name)?;
        let pending = Pending::open(&place.path().join("pending"), *pending_time, *pending_bytes)?;
        let (served, notes) =
            Served::open(place, self.folder.path(), learn.clone(), *threads, self.metrics.of_writer(name))?;
        notes.iter().for_each(|note| log::event(*log, "warn", note));
        Ok(Arc::new(Entry { served, pending: Mutex::new(pending), version: Mutex::default() }))
    }

    /// The model of a name.
    pub(crate) fn model(&self, name: &str) -> Option<Arc<Entry>> {
        self.models.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// All models.
    pub(crate) fn models(&self) -> Vec<Arc<Entry>> {
        self.models.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Ends the writers: what waits is learned, and snapshots are written.
    pub(crate) fn stop(&self) {
        self.models().iter().for_each(|entry| entry.served.stop());
    }

    pub(crate) fn folder(&self) -> &ServerFolder {
        &self.folder
    }
}
