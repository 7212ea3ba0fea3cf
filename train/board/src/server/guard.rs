//! Who may ask: pages of this server, by the names of this machine.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The names under which the server may be asked. A page on the internet whose name was pointed at this machine (DNS
/// rebinding) asks under its own name.
#[derive(Debug)]
pub(super) struct Guard {
    hosts: Vec<String>,
}

/// Everything is loaded from here, and no part of the page may be shown in another one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of every answer, even of a refusal. The secret is part of the address, so the address is not passed on
/// to other pages.
const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
];

impl Guard {
    /// Returns the guard of a server at this address.
    pub fn of(address: SocketAddr) -> Self {
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.push(format!("localhost:{}", address.port()));
        }
        // Browsers leave the usual port out.
        let short: Vec<_> = hosts.iter().filter_map(|host| host.strip_suffix(":80").map(str::to_owned)).collect();
        hosts.extend(short);
        Self { hosts }
    }

    /// Returns whether a request comes from a page of this server, or from an address that somebody typed. If the
    /// server listens at any address of the machine, its names are not known, and only the origin has to agree with the
    /// host.
    fn admits(&self, headers: &HeaderMap, anywhere: bool) -> bool {
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
        let Some(host) = text(HOST) else { return false };
        let from_here = text(ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
        from_here && (anywhere || self.hosts.iter().any(|own| own == host))
    }
}

/// Refuses requests that do not come from a page of this server.
pub(super) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let anywhere = guard.hosts[0].starts_with("0.0.0.0:") || guard.hosts[0].starts_with("[::]:");
    let mut response = if guard.admits(request.headers(), anywhere) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "expected a page of this server\n").into_response()
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_server_are_admitted() {
        let guard = |address: &str| Guard::of(address.parse().unwrap());
        let admitted = |guard: &Guard, host: Option<&'static str>, origin: Option<&'static str>| {
            let given = [(HOST, host), (ORIGIN, origin)];
            let given = given.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_static(value?))));
            guard.admits(&given.collect(), false)
        };
        let usual = guard("127.0.0.1:80");
        assert!(admitted(&usual, Some("localhost"), Some("http://localhost")));
        assert!(admitted(&usual, Some("127.0.0.1:80"), None) && !admitted(&usual, Some("evil.example"), None));
        let own = guard("127.0.0.1:4000");
        let admits = |host, origin| admitted(&own, host, origin);
        assert!(admits(Some("127.0.0.1:4000"), None) && admits(Some("localhost:4000"), Some("http://localhost:4000")));
        assert!(!admits(None, None) && !admits(Some("evil.example:4000"), Some("http://evil.example:4000")));
        assert!(!admits(Some("127.0.0.1:4000"), Some("http://evil.example")));
        assert!(!admits(Some("127.0.0.1:4001"), None) && !admits(Some("127.0.0.1:4000"), Some("null")));
    }
}
