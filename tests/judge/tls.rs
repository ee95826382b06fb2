//! A provider behind TLS with a certificate of its own authority, and behind a proxy: as inside
//! many companies.

use crate::support::assets::demo;
use crate::support::judge_server::{ANSWER, reply_json};
use crate::support::program::{Run, command};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

const KEY: &str = "sk-secret-behind-tls";

/// What a server saw: the line of each request, and whether the key came with it.
type Seen = Arc<Mutex<Vec<(String, bool)>>>;

struct TlsServer {
    port: u16,
    authority_pem: String,
    seen: Seen,
}

impl TlsServer {
    /// A server named `host` that also takes `CONNECT`, as a proxy in front of it would.
    fn start(host: &str) -> Self {
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let params = authority_of(&[]);
        let authority = params.self_signed(&authority_key).unwrap();
        let issuer = rcgen::Issuer::from_params(&params, &authority_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec![host.to_owned()]).unwrap();
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &issuer).unwrap();
        Self::with(certificate.der().clone(), &key, authority.pem())
    }

    /// A server that shows an authority's own certificate, as `openssl req -x509` makes it.
    fn self_signed(params: &rcgen::CertificateParams) -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self::with(certificate.der().clone(), &key, certificate.pem())
    }

    fn with(
        certificate: CertificateDer<'static>,
        key: &rcgen::KeyPair,
        authority_pem: String,
    ) -> Self {
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], private)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            authority_pem,
            seen: Seen::default(),
        };
        let seen = Arc::clone(&server.seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, seen) = (Arc::clone(&config), Arc::clone(&seen));
                // A client that does not trust us hangs up: no more than that.
                std::thread::spawn(move || serve(stream, config, &seen));
            }
        });
        server
    }

    fn seen(&self) -> Vec<(String, bool)> {
        self.seen.lock().unwrap().clone()
    }
}

fn authority_of(hosts: &[&str]) -> rcgen::CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut params = rcgen::CertificateParams::new(hosts).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    // Python 3.13 asks for these. With one name for both, a certificate seems to sign itself.
    params.key_usages = vec![rcgen::KeyUsagePurpose::KeyCertSign];
    params.distinguished_name.push(rcgen::DnType::CommonName, "an authority");
    params
}

fn serve(
    mut stream: TcpStream,
    config: Arc<rustls::ServerConfig>,
    seen: &Seen,
) -> std::io::Result<()> {
    let mut first = [0; 1];
    stream.peek(&mut first)?;
    if first[0] == b'C' {
        let (head, _) = read_head(&mut BufReader::new(stream.try_clone()?))?;
        seen.lock().unwrap().push((head[0].clone(), false));
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    }
    let connection = rustls::ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut reader = BufReader::new(rustls::StreamOwned::new(connection, stream));
    loop {
        let (head, length) = read_head(&mut reader)?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let has_key = head.iter().any(|line| line.contains(KEY));
        seen.lock().unwrap().push((head[0].clone(), has_key));
        let body = reply_json(ANSWER, "stop").to_string();
        let reply = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        reader.get_mut().write_all(reply.as_bytes())?;
        reader.get_mut().flush()?;
    }
}

/// The lines of a request's head, and the length of its body.
fn read_head(reader: &mut impl BufRead) -> std::io::Result<(Vec<String>, usize)> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let length = lines
        .iter()
        .find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        })
        .unwrap_or(0);
    Ok((lines, length))
}

fn compare(folder: &Path, base_url: &str, environment: &[(&str, &str)]) -> Run {
    let assets = [demo("chair_clean.glb"), demo("chair_damaged.glb")];
    let mut command = command(folder, ["compare"]);
    command
        .args(assets)
        .args(["--prompt", "a chair", "--size", "64", "--no-canary"])
        .args(["--run", "run", "--judge", "openai:judge"])
        .args(["--base-url", base_url])
        .envs(environment.iter().copied())
        .env("OPENAI_API_KEY", KEY);
    Run::of(&mut command)
}

/// The programs of services and judges trust the same certificates.
#[test]
fn a_generator_is_trusted_as_judges_are() {
    let server = TlsServer::start("127.0.0.1");
    let folder = tempfile::tempdir().unwrap();
    let chair = demo("chair_clean.glb");
    let file = format!(
        "name = \"t\"\nprompts = [\"a chair\"]\n[[generators]]\nname = \"ours\"\npath = {chair:?}\n\
        [[generators]]\nname = \"served\"\nserve = \"python3 endpoint.py path=/make variable=THE_KEY\"\n\
        retries = 0\n[pictures]\nsize_px = 32\nviews = 1\n"
    );
    std::fs::write(folder.path().join("bench.toml"), file).unwrap();
    let pem = folder.path().join("authority.pem");
    std::fs::write(&pem, &server.authority_pem).unwrap();
    Run::of(&mut command(folder.path(), ["bench", "init", "--service", "endpoint"])).ok();
    let address = format!("https://127.0.0.1:{}", server.port);
    let named = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];
    let runs = [("a", None), ("b", Some(named[0])), ("c", Some(named[1])), ("d", Some(named[2]))];
    for (trusted, (run, name)) in runs.into_iter().enumerate() {
        let mut bench = command(folder.path(), ["bench", "bench.toml", "--run", run]);
        bench.env("ENDPOINT_BASE_URL", &address).env("THE_KEY", KEY);
        let out = Run::of(bench.envs(name.map(|name| (name, &pem))));
        let seen: Vec<bool> = server.seen().iter().map(|(_, has_key)| *has_key).collect();
        assert_eq!(seen, vec![true; trusted], "{run}: {}", out.stderr);
        assert_eq!(out.stderr.contains("certificate"), name.is_none(), "{run}: {}", out.stderr);
    }
}

#[test]
fn a_server_is_trusted_by_the_authority_that_the_environment_names_and_only_then() {
    let server = TlsServer::start("127.0.0.1");
    let folder = tempfile::tempdir().unwrap();
    let url = format!("https://127.0.0.1:{}/v1", server.port);
    let refused = compare(folder.path(), &url, &[]);
    let said = refused.stderr;
    assert_eq!(refused.code, Some(2), "{said}");
    assert!(said.contains("certificate"), "{said}");
    assert_eq!(server.seen(), [], "the key went to a server that nobody vouches for");
    let pem = folder.path().join("authority.pem");
    std::fs::write(&pem, &server.authority_pem).unwrap();
    for variable in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"] {
        let folder = tempfile::tempdir().unwrap();
        let out = compare(folder.path(), &url, &[(variable, pem.to_str().unwrap())]);
        let said = out.stderr;
        assert_eq!(out.code, Some(0), "{variable}: {said}");
    }
    let asked = ("POST /v1/chat/completions HTTP/1.1".to_owned(), true);
    assert_eq!(server.seen(), vec![asked; 6]);
}

#[test]
fn a_server_behind_a_proxy_gets_the_key_and_the_proxy_does_not() {
    let server = TlsServer::start("judge.example");
    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join("authority.pem");
    std::fs::write(&pem, &server.authority_pem).unwrap();
    let proxy = format!("http://127.0.0.1:{}", server.port);
    let environment = [("HTTPS_PROXY", proxy.as_str()), ("SSL_CERT_FILE", pem.to_str().unwrap())];
    let out = compare(folder.path(), "https://judge.example/v1", &environment);
    let said = out.stderr;
    assert_eq!(out.code, Some(0), "{said}");
    let (through, asked): (Vec<_>, Vec<_>) =
        server.seen().into_iter().partition(|(line, _)| line.starts_with("CONNECT"));
    assert!(!through.is_empty());
    assert!(
        through.iter().all(|(line, _)| line == "CONNECT judge.example:443 HTTP/1.1"),
        "{through:?}"
    );
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|(_, has_key)| *has_key));
}

#[test]
fn a_self_signed_certificate_is_trusted_if_it_is_the_very_one_named_and_fits_the_host() {
    let host = authority_of(&["127.0.0.1"]);
    let mut expired = host.clone();
    expired.not_before = rcgen::date_time_ymd(2020, 1, 1);
    expired.not_after = rcgen::date_time_ymd(2021, 1, 1);
    let other = TlsServer::self_signed(&host);
    let cases = [
        (TlsServer::self_signed(&host), None, Some(0)),
        (TlsServer::self_signed(&host), Some(&other), Some(2)),
        (TlsServer::self_signed(&authority_of(&["elsewhere.example"])), None, Some(2)),
        (TlsServer::self_signed(&expired), None, Some(2)),
    ];
    for (i, (server, named, code)) in cases.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let pem = folder.path().join("certificate.pem");
        std::fs::write(&pem, &named.unwrap_or(server).authority_pem).unwrap();
        let url = format!("https://127.0.0.1:{}/v1", server.port);
        let out = compare(folder.path(), &url, &[("SSL_CERT_FILE", pem.to_str().unwrap())]);
        assert_eq!(out.code, *code, "{i}: {}", out.stderr);
        assert_eq!(server.seen().is_empty(), *code != Some(0), "{i}: the key goes to nobody else");
    }
}
