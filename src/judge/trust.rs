//! The servers that are trusted: those of the system's authorities, of the authorities in the
//! environment's certificate files, and the very certificates in those files.
//!
//! A self-signed certificate as `openssl req -x509` makes it says that it is an authority. Other
//! tools accept it for the server that shows it; the verifier here would not.

use crate::error::Error;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Variables that name certificates beyond the system's, each a PEM file, as in other tools.
const VARIABLES: [&str; 3] = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];

/// TLS that trusts the certificates of the environment too; `None` where it names none.
///
/// # Errors
/// [`Error`].
pub(super) fn tls() -> Result<Option<rustls::ClientConfig>, Error> {
    let named = certificates()?;
    if named.is_empty() {
        return Ok(None);
    }
    let client = |e: rustls::Error| no_client(&e);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(
        named.clone(),
        Arc::clone(&provider),
    );
    let verifier = Verifier { authorities: verifier.map_err(client)?, named };
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(client)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec!["h2".into(), "http/1.1".into()];
    Ok(Some(config))
}

/// The HTTP client could not be made.
pub(super) fn no_client(reason: &dyn std::fmt::Display) -> Error {
    Error::judge(format!(
        "cannot set up HTTP ({reason}); check the proxy variables and the system's certificates"
    ))
}

/// The certificates that the environment names.
fn certificates() -> Result<Vec<CertificateDer<'static>>, Error> {
    let mut found = Vec::new();
    for variable in VARIABLES {
        let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()) else {
            continue;
        };
        let path = PathBuf::from(path);
        // Some tools take a REQUESTS_CA_BUNDLE folder; the system's certificate reader knows it.
        if !path.is_dir() {
            found.extend(bundle(&path).map_err(|reason| Error::judge(format!("the certificates in {variable} cannot be used ({reason}); correct the variable, or unset it")).at(path))?);
        }
    }
    Ok(found)
}

fn bundle(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = std::fs::read(path).map_err(|e| e.to_string())?;
    let bundle: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match bundle {
        Ok(bundle) if bundle.is_empty() => Err("it holds no PEM certificate".to_owned()),
        bundle => bundle.map_err(|e| e.to_string()),
    }
}

#[derive(Debug)]
struct Verifier {
    /// The system's, and those that the environment names.
    authorities: rustls_platform_verifier::Verifier,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.authorities.verify_server_cert(shown, intermediates, server, ocsp, now);
        match verified {
            // Its dates were checked before this, its name was not.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(other)))
                if is_authority(&other) && self.named.iter().any(|named| named == shown) =>
            {
                rustls::client::verify_server_name(&ParsedCertificate::try_from(shown)?, server)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorities.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorities.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

/// Whether all that was wrong is that an authority's certificate is the server's own.
fn is_authority(error: &rustls::OtherError) -> bool {
    matches!(error.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}
