//! Under which names the pages are reached: on this machine, or as raters elsewhere type it.
//!
//! Proxy headers (`Forwarded`, `X-Forwarded-Host`) are never read: any client can send them.

use crate::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The address that raters open, without a slash at its end: `https://votes.example.org/study`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    scheme: &'static str,
    /// With its port where the address names one.
    host: String,
    /// Empty, or `/study`.
    prefix: String,
}

impl FromStr for PublicUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = |reason: &str| {
            Error::usage(format!(
                "{reason}; an address for raters looks like https://votes.example.org/study"
            ))
            .at(text)
        };
        let url = reqwest::Url::parse(text).map_err(|e| wrong(&e.to_string()))?;
        let scheme = match url.scheme() {
            "http" => "http",
            "https" => "https",
            _ => return Err(wrong("only http and https are served")),
        };
        let host = url.host_str().ok_or_else(|| wrong("the host is missing"))?;
        let is_bare = url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !is_bare {
            return Err(wrong("only scheme, host, port and path are allowed"));
        }
        let prefix = url.path().trim_end_matches('/');
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~/".contains(c);
        if !prefix.chars().all(is_plain) || prefix.contains("//") {
            return Err(wrong("the path has characters other than letters, digits and -_.~"));
        }
        Ok(Self {
            scheme,
            host: match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            },
            prefix: prefix.to_owned(),
        })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.host, self.prefix)
    }
}

/// The names that requests may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Values of `Host`.
    hosts: Vec<String>,
    /// Values of `Origin`.
    origins: Vec<String>,
    /// Path under which a proxy may hand requests on; empty for none.
    pub(super) prefix: String,
    /// The address shown when the server starts, without a slash at its end.
    pub(super) shown: String,
}

impl Address {
    /// Only this machine.
    pub fn local(port: u16) -> Self {
        Self::bound(IpAddr::from([127, 0, 0, 1]), port, None)
    }

    /// Listening on `bind`. Through `url` where that is given, and else under the names of this
    /// machine. A proxy may name either host.
    pub fn bound(bind: IpAddr, port: u16, url: Option<&PublicUrl>) -> Self {
        let mut hosts =
            ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        let own = std::net::SocketAddr::new(bind, port).to_string();
        if !bind.is_unspecified() && !hosts.contains(&own) {
            hosts.push(own.clone());
        }
        let shown = url.map_or_else(|| format!("http://{own}"), PublicUrl::to_string);
        // A page from the proxy gives the proxy's origin, whatever host the proxy then names.
        let origins = match url {
            Some(url) => vec![format!("{}://{}", url.scheme, url.host)],
            None => hosts.iter().map(|host| format!("http://{host}")).collect(),
        };
        hosts.extend(url.map(|url| url.host.clone()));
        Self {
            hosts,
            origins,
            prefix: url.map_or_else(String::new, |url| url.prefix.clone()),
            shown,
        }
    }

    pub(super) fn is_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    pub(super) fn is_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }

    /// Whether browsers reach it encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.shown.starts_with("https:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_for_raters_has_host_and_path_alone() {
        let read = |text: &str| text.parse::<PublicUrl>();
        let url = read("https://Votes.Example.org/study/").unwrap();
        assert_eq!(url.to_string(), "https://votes.example.org/study");
        assert_eq!((url.host.as_str(), url.prefix.as_str()), ("votes.example.org", "/study"));
        assert_eq!(read("http://10.0.0.5:8080").unwrap().to_string(), "http://10.0.0.5:8080");
        for bad in [
            "votes.example.org",
            "ftp://a/",
            "https://a/?x=1",
            "https://u:p@a/",
            "https://a/#t",
            "https://a/{x}",
            "https://a/b//c",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_proxy_may_name_its_host_or_ours_but_pages_have_one_origin() {
        let url: PublicUrl = "https://votes.example.org/study".parse().unwrap();
        let address = Address::bound(IpAddr::from([127, 0, 0, 1]), 7878, Some(&url));
        assert!(address.is_host("votes.example.org") && address.is_host("127.0.0.1:7878"));
        assert!(!address.is_host("evil.example") && !address.is_host("votes.example.org:80"));
        assert!(address.is_origin("https://votes.example.org"));
        assert!(
            !address.is_origin("http://votes.example.org")
                && !address.is_origin("http://127.0.0.1:7878")
        );
    }
}
