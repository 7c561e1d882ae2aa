//! The accept loop: connections, their limits and timeouts, signals, and the end.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::patient::Patient;
use super::{App, log, tls};
use crate::served::lock;
use crate::{Error, Result};

/// Smallest buffer that hyper takes for a head.
const LEAST_HEAD: usize = 8 << 10;

/// Listens until a signal ends it. Once it does, the address is told on standard output.
pub fn serve(app: App) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(Error::io(app.folder().path()))?;
    let app = Arc::new(app);
    let served = runtime.block_on(listen(app.clone()));
    // Requests that are still under way are cut off; what was acknowledged is on disk.
    runtime.shutdown_timeout(Duration::from_millis(100));
    app.stop();
    served
}

async fn listen(app: Arc<App>) -> Result<()> {
    let named = std::path::PathBuf::from(app.options.listen.to_string());
    let listener = TcpListener::bind(app.options.listen).await.map_err(Error::io(&named))?;
    let address = listener.local_addr().map_err(Error::io(&named))?;
    let acceptor = app.options.tls.as_ref().map(tls::acceptor).transpose()?;
    let secret = Arc::new(std::sync::Mutex::new(acceptor));
    let signals = |kind| signal(kind).map_err(Error::io(&named));
    let (mut hangup, mut term) = (signals(SignalKind::hangup())?, signals(SignalKind::terminate())?);
    let mut interrupt = signals(SignalKind::interrupt())?;
    let (stop, stopping) = watch::channel(false);
    let (places, mut connections) = (Arc::new(Semaphore::new(app.options.connections)), JoinSet::new());
    app.ready.store(true, Ordering::Release);
    announce(&app, address);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let Ok(place) = places.clone().try_acquire_owned() else {
                        app.metrics.refused_connection("limit");
                        continue;
                    };
                    let (app, stopping, acceptor) = (app.clone(), stopping.clone(), lock(&secret).clone());
                    connections.spawn(async move {
                        app.metrics.connections.inc();
                        connect(&app, stream, acceptor, stopping).await;
                        app.metrics.connections.dec();
                        drop(place);
                    });
                }
                // Too many files are open, for example: others will be closed.
                Err(_) => {
                    app.metrics.refused_connection("accept");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            _ = hangup.recv() => reload(&app, &secret),
            _ = term.recv() => break,
            _ = interrupt.recv() => break,
        }
    }
    drop(listener);
    app.ready.store(false, Ordering::Release);
    log::event(app.options.log, "info", "stopping: requests under way are answered");
    notify("STOPPING=1");
    let _ = stop.send(true);
    let ended = async { while connections.join_next().await.is_some() {} };
    tokio::select! {
        _ = tokio::time::timeout(app.options.stop_timeout, ended) => {}
        _ = term.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// Says where the server is.
fn announce(app: &App, address: SocketAddr) {
    let scheme = if app.options.tls.is_some() { "https" } else { "http" };
    // Standard output may be closed; the log tells it, too.
    let _ = writeln!(std::io::stdout().lock(), "listening on {scheme}://{address}");
    let _ = std::io::stdout().flush();
    log::event(app.options.log, "info", &format!("listening on {scheme}://{address}"));
    notify("READY=1");
}

/// Reads tokens and certificates anew.
fn reload(app: &App, secret: &std::sync::Mutex<Option<TlsAcceptor>>) {
    let renewed = app.options.tls.as_ref().map(tls::acceptor).transpose();
    let done = app.reload_tokens().and(renewed.map(|acceptor| *lock(secret) = acceptor));
    match done {
        Ok(()) => log::event(app.options.log, "info", "tokens and certificates were read anew"),
        Err(error) => log::event(app.options.log, "error", &format!("{error}; what was there before stays")),
    }
}

async fn connect(
    app: &Arc<App>,
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    stopping: watch::Receiver<bool>,
) {
    // Small answers are not to wait for more.
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => requests(app, stream, stopping).await,
        Some(acceptor) => {
            match tokio::time::timeout(app.options.header_timeout, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => requests(app, stream, stopping).await,
                Ok(Err(_)) => app.metrics.refused_connection("tls"),
                Err(_) => app.metrics.refused_connection("tls_timeout"),
            }
        }
    }
}

async fn requests<S>(app: &Arc<App>, stream: S, mut stopping: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let options = &app.options;
    let service = service_fn(|request| super::handle::handle(app.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.header_timeout)
        .max_buf_size(options.header_bytes.max(LEAST_HEAD))
        // A client that has sent all may say so, and wait for its answer.
        .half_close(true)
        .serve_connection(TokioIo::new(Patient::new(stream, options.body_timeout)), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that breaks off or breaks rules is its own affair.
        _ = connection.as_mut() => return,
        _ = stopping.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Tells systemd, if it started this, as `sd_notify` does.
fn notify(state: &str) {
    use std::os::unix::net::UnixDatagram;
    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return };
    if let Ok(socket) = UnixDatagram::unbound() {
        let _ = socket.send_to(state.as_bytes(), path);
    }
}
