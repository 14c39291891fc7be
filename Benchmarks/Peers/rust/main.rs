// SPDX-License-Identifier: Apache-2.0

//! DPoP with jsonwebtoken on ring: signature and JSON by the libraries, the rest here.

use std::collections::HashSet;
use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::URL_SAFE_NO_PAD;
use jsonwebtoken::{jwk::Jwk, Algorithm, DecodingKey, EncodingKey, Header, Validation};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{EcdsaKeyPair, KeyPair, ECDSA_P256_SHA256_FIXED_SIGNING};
use serde::{de::IgnoredAny, Deserialize, Serialize};

const MAXIMUM_AGE: u64 = 300;

type Outcome = Result<(), Box<dyn Error>>;

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    check: String,
    proof: String,
    jkt: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    method: String,
    uri: String,
    access_token: String,
    nonce: String,
    now: u64,
    warm_up: usize,
    proofs: Vec<Entry>,
    forged: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    jti: String,
    htm: String,
    htu: String,
    iat: u64,
    ath: String,
    nonce: String,
}

/// A header with its key; the library's type for keys would drop private members in silence.
#[derive(Deserialize)]
struct ProofHeader {
    typ: String,
    jwk: PublicKey,
}

#[derive(Deserialize)]
struct PublicKey {
    kty: String,
    crv: String,
    x: String,
    y: String,
    d: Option<IgnoredAny>,
    k: Option<IgnoredAny>,
}

struct Peer {
    file: File,
    validation: Validation,
    seen: HashSet<(String, String)>,
    random: SystemRandom,
    key: EncodingKey,
    jwk: Jwk,
}

fn encode(bytes: &[u8]) -> String {
    base64::encode_config(bytes, URL_SAFE_NO_PAD)
}

fn hash(text: &str) -> String {
    encode(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()).as_ref())
}

fn header_of(proof: &str) -> Result<ProofHeader, Box<dyn Error>> {
    let segment = proof.split('.').next().ok_or("no segment")?;
    Ok(serde_json::from_slice(&base64::decode_config(segment, URL_SAFE_NO_PAD)?)?)
}

impl Peer {
    fn new(file: File) -> Result<Self, Box<dyn Error>> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_| "no key")?;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref()).map_err(|_| "no key")?;
        let point = pair.public_key().as_ref();
        let jwk = serde_json::from_value(serde_json::json!({
            "kty": "EC", "crv": "P-256", "x": encode(&point[1..33]), "y": encode(&point[33..65]),
        }))?;
        let mut validation = Validation::new(Algorithm::ES256);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        let key = EncodingKey::from_ec_der(pkcs8.as_ref());
        Ok(Self { file, validation, seen: HashSet::new(), random, key, jwk })
    }

    fn verify(&mut self, proof: &str, jkt: &str) -> Outcome {
        let header = header_of(proof)?;
        let jwk = &header.jwk;
        if header.typ != "dpop+jwt" || jwk.kty != "EC" || jwk.crv != "P-256" || jwk.d.is_some() || jwk.k.is_some() {
            return Err("header".into());
        }
        let key = DecodingKey::from_ec_components(&jwk.x, &jwk.y)?;
        let claims = jsonwebtoken::decode::<Claims>(proof, &key, &self.validation)?.claims;
        let thumbprint = hash(&format!(r#"{{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}}"#, jwk.x, jwk.y));
        let file = &self.file;
        if claims.htm != file.method
            || claims.htu != file.uri
            || claims.iat.abs_diff(file.now) > MAXIMUM_AGE
            || claims.ath != hash(&file.access_token)
            || claims.nonce != file.nonce
            || thumbprint != jkt
        {
            return Err("claims".into());
        }
        if !self.seen.insert((thumbprint, claims.jti)) {
            return Err("replay".into());
        }
        Ok(())
    }

    fn create(&self) -> Outcome {
        let mut identifier = [0u8; 16];
        self.random.fill(&mut identifier).map_err(|_| "no random bytes")?;
        let claims = Claims {
            jti: encode(&identifier),
            htm: self.file.method.clone(),
            htu: self.file.uri.clone(),
            iat: SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
            ath: hash(&self.file.access_token),
            nonce: self.file.nonce.clone(),
        };
        let mut header = Header::new(Algorithm::ES256);
        header.typ = Some("dpop+jwt".into());
        header.jwk = Some(self.jwk.clone());
        jsonwebtoken::encode(&header, &claims, &self.key)?;
        Ok(())
    }

    fn accepts(&mut self, entry: &Entry) -> bool {
        if entry.check == "jti" && self.verify(&entry.proof, &entry.jkt).is_err() {
            return false;
        }
        self.verify(&entry.proof, &entry.jkt).is_ok()
    }
}

/// A key and what it signed, for the row that imports a key and verifies.
struct Sample {
    jwk: PublicKey,
    message: String,
    signature: String,
}

impl Sample {
    fn new(proof: &str) -> Result<Self, Box<dyn Error>> {
        let (message, signature) = proof.rsplit_once('.').ok_or("no signature")?;
        Ok(Self { jwk: header_of(proof)?.jwk, message: message.into(), signature: signature.into() })
    }

    fn check(&self) -> Outcome {
        let key = DecodingKey::from_ec_components(&self.jwk.x, &self.jwk.y)?;
        let message = self.message.as_bytes();
        match jsonwebtoken::crypto::verify(&self.signature, message, &key, Algorithm::ES256)? {
            true => Ok(()),
            false => Err("signature".into()),
        }
    }
}

fn processor_microseconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

fn measure(warm_up: usize, count: usize, mut operation: impl FnMut(usize) -> Outcome) -> Result<f64, Box<dyn Error>> {
    for number in 0..warm_up {
        operation(number)?;
    }
    let start = processor_microseconds();
    for number in warm_up..count {
        operation(number)?;
    }
    Ok((processor_microseconds() - start) / (count - warm_up) as f64)
}

fn main() -> Outcome {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let mut peer = Peer::new(serde_json::from_slice(&std::fs::read(path)?)?)?;
    let (proofs, forged) = (std::mem::take(&mut peer.file.proofs), std::mem::take(&mut peer.file.forged));
    let (warm_up, count) = (peer.file.warm_up, proofs.len());
    let samples = proofs.iter().map(|entry| Sample::new(&entry.proof)).collect::<Result<Vec<_>, _>>()?;
    let accepted: Vec<_> = forged.iter().filter(|entry| peer.accepts(entry)).map(|entry| &entry.check).collect();
    let verify = measure(warm_up, count, |number| peer.verify(&proofs[number].proof, &proofs[number].jkt))?;
    let import = measure(warm_up, count, |number| samples[number].check())?;
    let create = measure(warm_up, count, |_| peer.create())?;
    let rows = serde_json::json!({ "dpop-verify": verify, "jwk-import-verify": import, "dpop-create": create });
    println!("{}", serde_json::json!({ "accepted": accepted, "rows": rows }));
    Ok(())
}
