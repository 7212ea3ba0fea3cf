//! The server of the page, for the person at this machine: on loopback unless told otherwise, behind a secret in the
//! address, and for no page but its own.

mod guard;
mod talk;

use std::fmt::Write;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gipf_play::Stop;
use tokio::sync::Semaphore;

use crate::desk::Desk;
use guard::Guard;

/// The server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened at.
    #[error("{address}: cannot listen: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The system gives no random numbers.
    #[error("no random numbers for the address: {0}")]
    Secret(getrandom::Error),
    /// The server ended.
    #[error("the server ended: {0}")]
    Ended(#[from] io::Error),
}

/// The page, and what answers it, at an address of this machine.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    secret: String,
    desk: Desk,
}

/// What all connections share.
struct Shared {
    desk: Desk,
    /// One for each page that may be connected.
    pages: Arc<Semaphore>,
    /// One for each player that may think.
    thinkers: Arc<Semaphore>,
    stop: Stop,
}

/// The most pages connected at once.
const PAGES: usize = 32;
/// How long until the wish to stop is noticed.
const ATTENTION: Duration = Duration::from_millis(50);

/// The files of the page: name, kind, content.
const FILES: [(&str, &str, &str); 8] = [
    ("", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("style.css", "text/css; charset=utf-8", include_str!("../page/style.css")),
    ("main.js", "text/javascript; charset=utf-8", include_str!("../page/main.js")),
    ("board.js", "text/javascript; charset=utf-8", include_str!("../page/board.js")),
    ("game.js", "text/javascript; charset=utf-8", include_str!("../page/game.js")),
    ("engine.js", "text/javascript; charset=utf-8", include_str!("../page/engine.js")),
    ("graph.js", "text/javascript; charset=utf-8", include_str!("../page/graph.js")),
    ("rules.js", "text/javascript; charset=utf-8", include_str!("../page/rules.js")),
];

impl Server {
    /// Listens at an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// If the address cannot be listened at.
    pub fn bind(address: SocketAddr, desk: Desk) -> Result<Self, ServerError> {
        let wrong = |source| ServerError::Address { address, source };
        let listener = TcpListener::bind(address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(ServerError::Secret)?;
        let secret = bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a text takes everything");
            text
        });
        Ok(Self { listener, address, secret, desk })
    }

    /// Returns the address of the page, for whoever may see it.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.secret)
    }

    /// Answers until a stop is requested.
    ///
    /// # Errors
    /// If the system does not let it go on.
    pub fn run(self, stop: &Stop) -> Result<(), ServerError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            desk: self.desk,
            pages: Arc::new(Semaphore::new(PAGES)),
            thinkers: Arc::new(Semaphore::new(threads)),
            stop: stop.clone(),
        });
        let guard = Arc::new(Guard::of(self.address));
        let routes = FILES
            .into_iter()
            .fold(Router::new(), |routes, (name, kind, content)| {
                routes.route(&format!("/{}/{name}", self.secret), get(async move || file(kind, content)))
            })
            .route(&format!("/{}/socket", self.secret), get(talk::connect))
            .layer(middleware::from_fn_with_state(guard, guard::check))
            .with_state(Arc::clone(&shared));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let serving = axum::serve(listener, routes);
            tokio::select! {
                ended = async { serving.await } => ended,
                () = requested(stop) => Ok(()),
            }
        })?;
        // Whoever still thinks is stopped by the same wish.
        runtime.shutdown_timeout(Duration::from_secs(1));
        Ok(())
    }
}

async fn requested(stop: &Stop) {
    while !stop.requested() {
        tokio::time::sleep(ATTENTION).await;
    }
}

fn file(kind: &'static str, content: &'static str) -> Response {
    let headers =
        [(CONTENT_TYPE, HeaderValue::from_static(kind)), (CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    (headers, content).into_response()
}

/// What handlers are given.
type Common = State<Arc<Shared>>;
