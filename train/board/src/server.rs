//! The server of the page, for the person at this machine: on loopback unless told otherwise, behind a secret in the
//! address, and for no page but its own.

mod guard;
mod talk;

use std::fmt::Write;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::serve::Listener;
use gipf_play::Stop;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

use crate::desk::Desk;
use guard::Guard;

/// The server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The server cannot listen at the address.
    #[error("{address}: cannot listen: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// Why it cannot.
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
    /// One permit for each page that may be connected.
    pages: Arc<Semaphore>,
    /// One permit for each player that may think about a question for as long as somebody likes.
    thinkers: Arc<Semaphore>,
    /// One permit for each player that may think about its own turn: its clock runs, so it does not wait for thinkers.
    movers: Arc<Semaphore>,
    stop: Stop,
}

/// The most pages connected at once.
const PAGES: usize = 32;
/// The most connections at once that do not belong to a page yet.
const CONNECTIONS: usize = 256;
/// How long a connection may be silent before it has asked.
const SILENCE: Duration = Duration::from_secs(10);
/// How long a connection may take in all, unless it becomes that of a page: a client that asks but never reads its
/// answer must not keep its place.
const LONGEST: Duration = Duration::from_secs(30);
/// How long it takes until a stop is noticed.
const ATTENTION: Duration = Duration::from_millis(50);

/// The files of the page: name, kind, content.
const FILES: [(&str, &str, &str); 19] = [
    ("", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("style.css", "text/css; charset=utf-8", include_str!("../page/style.css")),
    ("main.js", "text/javascript; charset=utf-8", include_str!("../page/main.js")),
    ("board.js", "text/javascript; charset=utf-8", include_str!("../page/board.js")),
    ("game.js", "text/javascript; charset=utf-8", include_str!("../page/game.js")),
    ("engine.js", "text/javascript; charset=utf-8", include_str!("../page/engine.js")),
    ("graph.js", "text/javascript; charset=utf-8", include_str!("../page/graph.js")),
    ("clock.js", "text/javascript; charset=utf-8", include_str!("../page/clock.js")),
    ("picture.js", "text/javascript; charset=utf-8", include_str!("../page/picture.js")),
    ("choices.js", "text/javascript; charset=utf-8", include_str!("../page/choices.js")),
    ("thoughts.js", "text/javascript; charset=utf-8", include_str!("../page/thoughts.js")),
    ("turns.js", "text/javascript; charset=utf-8", include_str!("../page/turns.js")),
    ("review.js", "text/javascript; charset=utf-8", include_str!("../page/review.js")),
    ("charts.js", "text/javascript; charset=utf-8", include_str!("../page/charts.js")),
    ("runs.js", "text/javascript; charset=utf-8", include_str!("../page/runs.js")),
    ("study.js", "text/javascript; charset=utf-8", include_str!("../page/study.js")),
    ("editor.js", "text/javascript; charset=utf-8", include_str!("../page/editor.js")),
    ("show.js", "text/javascript; charset=utf-8", include_str!("../page/show.js")),
    ("rules.js", "text/javascript; charset=utf-8", include_str!("../page/rules.js")),
];

impl Server {
    /// Listens at an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// If the server cannot listen at the address.
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

    /// Returns the address of the page, to be shown to those who may use it. If the server listens at any address of
    /// the machine, it is the one that the machine itself can open.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}/{}/", SocketAddr::new(ip, self.address.port()), self.secret)
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
            movers: Arc::new(Semaphore::new(threads)),
            stop: stop.clone(),
        });
        let guard = Arc::new(Guard::of(self.address));
        let routes = FILES
            .into_iter()
            .fold(Router::new(), |routes, (name, kind, content)| {
                routes.route(&format!("/{}/{name}", self.secret), get(async move || file(kind, content)))
            })
            .route(&format!("/{}/socket", self.secret), get(talk::connect))
            // The files of the page lie beside it: without the slash they would not be found.
            .route(&format!("/{}", self.secret), get(Redirect::temporary(&format!("/{}/", self.secret))))
            .layer(middleware::from_fn_with_state(guard, guard::check))
            .with_state(Arc::clone(&shared));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        runtime.block_on(async {
            tokio::spawn(serve(tokio::net::TcpListener::from_std(self.listener)?, routes));
            requested(stop).await;
            io::Result::Ok(())
        })?;
        // Players that still think are stopped by the same request.
        runtime.shutdown_timeout(Duration::from_secs(1));
        Ok(())
    }
}

/// Answers every client that connects, one question each. A client that asks nothing, or does not read the answer,
/// loses its place to clients that wait for one.
async fn serve(mut listener: tokio::net::TcpListener, routes: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(SILENCE).keep_alive(false);
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let (stream, _) = Listener::accept(&mut listener).await;
        let service = TowerToHyperService::new(routes.clone());
        let answering = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            let _place = place;
            tokio::time::timeout(LONGEST, answering).await.ok();
        });
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

/// What all handlers receive.
type Common = State<Arc<Shared>>;
