// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthCrypto

/// The claims of a proof (RFC 9449 section 4.2), each of the type that it must have.
///
/// What only the checks compare stays in the payload until somebody asks for it.
public struct ProofClaims: Sendable, Hashable {
    /// `iat`: when the proof was made.
    public let issuedAt: Timestamp
    /// `exp`.
    public let expiresAt: Timestamp?
    /// `nbf`.
    public let notBefore: Timestamp?
    let payload: JSONObject

    /// Reads the claims; throws a `JOSEError` for one that is missing or of another type.
    init(parsing payload: JSONObject) throws(JOSEError) {
        try payload.requireString("jti")
        // RFC 9449 section 11.1: what is remembered for each proof must be bounded.
        guard payload.withString("jti", { (1...256).contains($0.count) }) == true else {
            throw JOSEError(.invalidClaim, "'jti' is empty or longer than 256 bytes")
        }
        guard let issuedAt = try payload.optionalDate("iat") else {
            throw JOSEError(.invalidClaim, "'iat' is missing")
        }
        self.issuedAt = issuedAt
        expiresAt = try payload.optionalDate("exp")
        notBefore = try payload.optionalDate("nbf")
        try payload.requireString("htm")
        try payload.requireString("htu")
        try payload.requireStringIfPresent("ath")
        try payload.requireStringIfPresent("nonce")
        self.payload = payload
    }

    /// `jti`: unique for each proof, 1 to 256 bytes.
    public var jti: String { payload.string("jti") ?? "" }
    /// `htm`: the method of the request.
    public var htm: String { payload.string("htm") ?? "" }
    /// `htu`: the URI of the request, as the client wrote it.
    public var htu: String { payload.string("htu") ?? "" }
    /// `ath`: the hash of the access token.
    public var accessTokenHash: String? { payload.string("ath") }
    /// `nonce`: what the server gave out.
    public var nonce: String? { payload.string("nonce") }

    /// Whether `htm` is a text, byte by byte.
    func isMethod(_ method: String) -> Bool { payload.isString("htm", identicalTo: method) }

    /// Whether `htu` is a text, byte by byte.
    func isTargetURI(_ uri: String) -> Bool { payload.isString("htu", identicalTo: uri) }

    /// What is remembered of the proof, which is of a key.
    func replayKey(of owner: JWKThumbprint) -> ReplayKey {
        payload.withString("jti") { ReplayKey(owner: owner, jti: $0) } ?? ReplayKey(owner: owner, jti: jti)
    }

    /// Calls a function with the octets of `nonce`; `nil` without one.
    func withNonce<Value>(_ body: (Span<UInt8>) -> Value) -> Value? { payload.withString("nonce", body) }

    /// The digest that `ath` stands for; `nil` without one, or when it is not one of SHA-256 in base64url.
    var accessTokenDigest: SHA256Digest? {
        payload.octets32("ath").map { SHA256Digest($0) }
    }
}
