//! TLS: certificate and key from PEM files.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::options::TlsFiles;
use crate::{Error, Result};

/// What makes connections secret, of the files as they are now.
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor> {
    let TlsFiles { cert, key } = files;
    let refused = |path: &std::path::Path, error: &dyn std::fmt::Display| {
        Error::Unfit(format!("{}: {error}; expected a file in PEM form", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(cert).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| refused(cert, &error))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| refused(key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    Ok(TlsAcceptor::from(Arc::new(config.map_err(|error| refused(cert, &error))?)))
}
