// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
public import OAuthSystem
import StrictJSON

/// The claims of a proof (RFC 9449 section 4.2), with their types checked.
///
/// Claims that only the checks compare are decoded on demand.
public struct ProofClaims: Sendable, Hashable {
    /// `iat`, the time when the proof was created.
    public let issuedAt: Timestamp
    /// `exp`, the time from which the proof is invalid.
    public let expiresAt: Timestamp?
    /// `nbf`, the time before which the proof is invalid.
    public let notBefore: Timestamp?
    private let object: IndexedJSONObject
    private let places: Places

    /// The indexes of the string claims in the payload.
    private struct Places: Sendable, Hashable {
        var (jti, htm, htu) = (0, 0, 0)
        var (ath, nonce) = (0, 0)
    }

    /// Throws a `JOSEError` if a claim is missing or has the wrong type.
    init(parsing payload: IndexedJSONObject) throws(JOSEError) {
        var (issuedAt, expiresAt, notBefore) = (0, 0, 0)
        var places = Places()
        payload.forEachMember { name, place in
            switch name {
            case "jti": places.jti = place
            case "htm": places.htm = place
            case "htu": places.htu = place
            case "iat": issuedAt = place
            case "ath": places.ath = place
            case "nonce": places.nonce = place
            case "exp": expiresAt = place
            case "nbf": notBefore = place
            default: break
            }
        }
        try Self.checkIdentifier(payload, at: places.jti)
        guard let time = try payload.optionalDate("iat", at: issuedAt) else {
            throw JOSEError(.invalidClaim, "'iat' is missing")
        }
        self.issuedAt = time
        self.expiresAt = try payload.optionalDate("exp", at: expiresAt)
        self.notBefore = try payload.optionalDate("nbf", at: notBefore)
        try payload.requireString("htm", at: places.htm)
        try payload.requireString("htu", at: places.htu)
        try payload.requireStringIfPresent("ath", at: places.ath)
        try payload.requireStringIfPresent("nonce", at: places.nonce)
        (object, self.places) = (payload, places)
    }

    /// RFC 9449 section 11.1: the size of `jti` must be limited.
    private static func checkIdentifier(_ payload: IndexedJSONObject, at place: Int) throws(JOSEError) {
        try payload.requireString("jti", at: place)
        var count = 0
        payload.readString(at: place) { count = $0.count }
        guard (1...256).contains(count) else {
            throw JOSEError(.invalidClaim, "'jti' is empty or longer than 256 bytes")
        }
    }

    /// `jti`, unique for each proof, 1 to 256 bytes.
    public var jti: String { object.string(at: places.jti) ?? "" }
    /// `htm`, the method of the request.
    public var htm: String { object.string(at: places.htm) ?? "" }
    /// `htu`, the URI of the request, as the client wrote it.
    public var htu: String { object.string(at: places.htu) ?? "" }
    /// `ath`, the hash of the access token.
    public var accessTokenHash: String? { object.string(at: places.ath) }
    /// `nonce`, as issued by the server.
    public var nonce: String? { object.string(at: places.nonce) }

    /// Whether `htm` equals a text, byte by byte.
    func isMethod(_ method: String) -> Bool { object.isString(at: places.htm, identicalTo: method) }

    /// Whether `htu` equals a text, byte by byte.
    func isTargetURI(_ uri: String) -> Bool { object.isString(at: places.htu, identicalTo: uri) }

    /// The replay key of the proof, for the key that signed it.
    func replayKey(of owner: JWKThumbprint) -> ReplayKey {
        var key: ReplayKey?
        object.readString(at: places.jti) { key = ReplayKey(owner: owner, jti: $0) }
        return key ?? ReplayKey(owner: owner, jti: jti)
    }

    /// Calls a function with the bytes of `nonce`.
    ///
    /// Does nothing without a nonce.
    func readNonce(_ body: (Span<UInt8>) -> Void) { object.readString(at: places.nonce, body) }

    /// The digest in `ath`; `nil` if there is none, or it is not a SHA-256 in base64url.
    var accessTokenDigest: SHA256Digest? {
        object.bytes32(at: places.ath).map { SHA256Digest($0) }
    }

    /// All claims, including those without a property here.
    var payload: JSONObject { object.object }
}
