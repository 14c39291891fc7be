// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// A signed message in compact serialization (RFC 7515 section 3.1), read but not yet verified.
public struct CompactJWS: Sendable {
    /// The header, read.
    package let parsedHeader: JWSHeader
    private let encoded: EncodedJWS
    private let segments: JWSSegments

    /// The protected header.
    public var header: JSONObject { parsedHeader.object }
    /// `alg`: what the message says it is signed with.
    public var algorithm: SignatureAlgorithm { parsedHeader.algorithm }

    /// Takes a message apart.
    ///
    /// - Parameters:
    ///   - text: Three segments of base64url with dots between.
    ///   - maximumLength: What is longer is refused before anything is decoded, in characters.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedToken``, ``JOSEError/Code/algorithmNotAllowed`` without an `alg`,
    ///   ``JOSEError/Code/invalidClaim`` for `crit` and `b64`, which nothing here understands (section 4.1.11).
    public init(parsing text: String, maximumLength: Int = 8192) throws(JOSEError) {
        try self.init(decoding: EncodedJWS(text, maximumLength: maximumLength), knownHeader: nil)
    }

    /// Takes a message apart whose header may have been read before.
    ///
    /// - Parameters:
    ///   - encoded: The text.
    ///   - knownHeader: What was read of exactly this header, if it was.
    /// - Throws: ``JOSEError`` as ``init(parsing:maximumLength:)``.
    package init(decoding encoded: EncodedJWS, knownHeader: JWSHeader?) throws(JOSEError) {
        let segments = try encoded.decode(knowsHeader: knownHeader != nil)
        parsedHeader = if let knownHeader { knownHeader } else { try JWSHeader(parsing: segments) }
        (self.encoded, self.segments) = (encoded, segments)
    }

    /// The payload, not to be believed before ``verify(with:allowing:)``.
    public var payload: [UInt8] { segments.payload }

    /// The signature bytes.
    package var signature: [UInt8] { segments.signature }

    /// The bytes that are signed: header and payload as they were sent.
    package var signingInput: [UInt8] {
        encoded.withSigningInput { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// The header as it was sent.
    package var encodedHeader: [UInt8] { Array(encoded.text.utf8.prefix(encoded.headerCount)) }

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
        let algorithm = algorithm
        guard key.fits(algorithm) else { return false }
        let material = key.material
        return withSignedParts { material.isValidSignature($0, for: $1, algorithm: algorithm) }
    }

    /// What a function says of the signature and what was signed, which are not copied for it.
    package func withSignedParts(_ body: (_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool) -> Bool {
        encoded.withSigningInput { message in segments.withSignature { body($0, message) } }
    }

    /// The payload as a JSON object.
    ///
    /// - Returns: The object, not to be believed before ``verify(with:allowing:)``.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedToken``.
    public func payloadObject() throws(JOSEError) -> JSONObject {
        try foldedPayload().object
    }

    /// The payload as a JSON object of which many members are wanted.
    ///
    /// - Returns: The object, not to be believed before the signature was verified.
    /// - Throws: ``JOSEError`` as ``payloadObject()``.
    package func foldedPayload() throws(JOSEError) -> IndexedJSONObject {
        let document = try segments.withPayload { payload throws(JOSEError) in
            do throws(StrictJSONError) {
                return try JSONDocument.parse(payload, limits: .standard)
            } catch {
                throw JOSEError(malformedToken: error)
            }
        }
        guard let object = IndexedJSONObject(document) else {
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
        let encodedHeader = Base64URL.encodeToBytes(JSONValue.object(header).encoded())
        let message = signingInput(encodedHeader: encodedHeader, payload: payload)
        do {
            let signature = try await key.sign(message)
            return text(signingInput: message, signature: signature)
        } catch {
            throw JOSEError(.signingFailed, "the key did not sign", underlying: error)
        }
    }

    /// What a signature is made of (RFC 7515 section 5.1): one who signs often keeps the header in base64url.
    package static func signingInput(encodedHeader: [UInt8], payload: [UInt8]) -> [UInt8] {
        var message = encodedHeader
        // Room for two dots and a signature of ES256 too; a longer one only costs a copy.
        message.reserveCapacity(encodedHeader.count + payload.count * 4 / 3 + 92)
        message.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &message)
        return message
    }

    /// What was signed, with its signature, in compact serialization (RFC 7515 section 7.1).
    package static func text(signingInput: consuming [UInt8], signature: [UInt8]) -> String {
        signingInput.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &signingInput)
        return String(decoding: signingInput, as: UTF8.self)
    }
}
