// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// A signed message in compact serialization (RFC 7515 section 3.1), read but not yet verified.
public struct CompactJWS: Sendable {
    /// The protected header.
    public let header: JSONObject
    /// `alg`: what the message says it is signed with.
    public let algorithm: SignatureAlgorithm
    private let segments: JWSSegments

    /// Takes a message apart.
    ///
    /// - Parameters:
    ///   - text: Three segments of base64url with dots between.
    ///   - maximumLength: What is longer is refused before anything is decoded, in characters.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedToken``, ``JOSEError/Code/malformedBase64URL``,
    ///   ``JOSEError/Code/malformedJSON``, ``JOSEError/Code/algorithmNotAllowed`` without an `alg`,
    ///   ``JOSEError/Code/invalidClaim`` for `crit` and `b64`, which nothing here understands (section 4.1.11).
    public init(parsing text: String, maximumLength: Int = 8192) throws(JOSEError) {
        try self.init(parsing: text, maximumLength: maximumLength) { _ in nil }
    }

    /// Takes a message apart whose header may have been read before.
    ///
    /// - Parameters:
    ///   - text: Three segments of base64url with dots between.
    ///   - maximumLength: What is longer is refused before anything is decoded, in characters.
    ///   - knownHeader: Gets the first segment; says what was read of exactly that text, if it was.
    /// - Throws: ``JOSEError`` as ``init(parsing:maximumLength:)``.
    package init(
        parsing text: String,
        maximumLength: Int,
        knownHeader: (Span<UInt8>) -> JWSHeader?
    ) throws(JOSEError) {
        guard text.utf8.count <= maximumLength else {
            throw JOSEError(.malformedToken, "the token is longer than \(maximumLength) characters")
        }
        let (segments, known) = try JWSSegments.decode(text, knownHeader: knownHeader)
        let header = if let known { known } else { try JWSHeader(parsing: segments) }
        // Only now: else all of it is copied when the initializer ends.
        self.segments = segments
        self.header = header.object
        algorithm = header.algorithm
    }

    /// The payload, not to be believed before ``verify(with:allowing:)``.
    public var payload: [UInt8] { segments.payload }

    /// The signature bytes.
    package var signature: [UInt8] { segments.signature }

    /// The bytes that are signed: header and payload as they were sent.
    package var signingInput: [UInt8] { segments.signingInput }

    /// The header as it was sent.
    package var encodedHeader: [UInt8] { segments.encodedHeader }

    /// Checks the signature.
    ///
    /// - Parameters:
    ///   - key: The public key of the signer.
    ///   - algorithms: The algorithms that the caller accepts, whatever the header says (RFC 8725 section 3.1).
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed``, ``JOSEError/Code/invalidSignature``.
    public func verify(with key: JWK, allowing algorithms: Set<SignatureAlgorithm>) throws(JOSEError) {
        guard algorithms.contains(algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not one of those allowed")
        }
        guard key.fits(algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token does not fit the key")
        }
        guard isSigned(by: key) else { throw JOSEError(.invalidSignature, "the signature does not verify") }
    }

    /// Whether a key made the signature with the algorithm of the header; allow-lists are the caller's.
    package func isSigned(by key: JWK) -> Bool {
        key.fits(algorithm) && segments.areSigned(by: key.material, algorithm)
    }

    /// Calls a function with the signature and what was signed, without copying them.
    func withSignedParts<Result>(_ body: (_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Result) -> Result {
        segments.withSignedParts(body)
    }

    /// The payload as a JSON object.
    ///
    /// - Returns: The object, not to be believed before ``verify(with:allowing:)``.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedJSON``, ``JOSEError/Code/malformedToken``.
    public func payloadObject() throws(JOSEError) -> JSONObject {
        let document = try segments.withPayload { payload throws(JOSEError) in
            try JSONDocument.parse(payload, limits: .standard)
        }
        guard let object = document.object(at: 0) else {
            throw JOSEError(.malformedToken, "the payload is not a JSON object")
        }
        return object
    }

    /// Signs a message.
    ///
    /// - Parameters:
    ///   - header: The protected header; `alg` is set from the key.
    ///   - payload: The bytes to sign.
    ///   - key: The private key.
    /// - Returns: The message in compact serialization.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/signingFailed``, with the key's own error under it.
    public static func sign(
        header: JSONObject,
        payload: [UInt8],
        with key: some SigningKey
    ) async throws(JOSEError) -> String {
        var header = header
        header["alg"] = .string(key.algorithm.rawValue)
        return try await sign(encodedHeader: Base64URL.encodeToBytes(JSONValue.object(header).encoded()), payload, key)
    }

    /// Signs a message of which the header is at hand in base64url: one who signs often encodes it once.
    package static func sign(
        encodedHeader: [UInt8],
        _ payload: [UInt8],
        _ key: some SigningKey
    ) async throws(JOSEError) -> String {
        var message = encodedHeader
        // Room for two dots and a signature of ES256 too; a longer one only costs a copy.
        message.reserveCapacity(encodedHeader.count + payload.count * 4 / 3 + 92)
        message.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &message)
        do {
            let signature = try await key.sign(message)
            message.append(UInt8(ascii: "."))
            Base64URL.append(signature, to: &message)
            return String(decoding: message, as: UTF8.self)
        } catch {
            throw JOSEError(.signingFailed, "the key did not sign", underlying: error)
        }
    }
}
