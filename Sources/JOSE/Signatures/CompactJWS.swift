// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem
public import StrictJSON

/// A JWS in compact serialization (RFC 7515 section 3.1), parsed but not verified.
public struct CompactJWS: Sendable, RedactedSecret {
    package let parsedHeader: JWSHeader
    private let encoded: EncodedJWS
    private let segments: JWSSegments

    /// The protected header (RFC 7515 section 4).
    public var header: JSONObject { parsedHeader.object }
    /// `alg`, the algorithm named in the header.
    public var algorithm: SignatureAlgorithm { parsedHeader.algorithm }

    /// Parses a JWS.
    ///
    /// - Parameters:
    ///   - text: Three base64url segments, separated by dots.
    ///   - maximumLength: The maximum length in characters. Longer text is rejected before decoding.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedToken``, ``JOSEError/Code/algorithmNotAllowed`` if `alg` is
    ///   missing, ``JOSEError/Code/invalidClaim`` for `crit` and `b64`, which are not supported (section 4.1.11).
    public init(parsing text: String, maximumLength: Int = 8192) throws(JOSEError) {
        try self.init(decoding: EncodedJWS(text, maximumLength: maximumLength), knownHeader: nil)
    }

    /// Decodes a JWS whose header may already be known.
    ///
    /// - Parameters:
    ///   - encoded: The text.
    ///   - knownHeader: The parsed header, if exactly this header was parsed before.
    /// - Throws: ``JOSEError`` as ``init(parsing:maximumLength:)``.
    package init(decoding encoded: EncodedJWS, knownHeader: JWSHeader?) throws(JOSEError) {
        let segments = try encoded.decode(knowsHeader: knownHeader != nil)
        parsedHeader = if let knownHeader { knownHeader } else { try JWSHeader(parsing: segments) }
        (self.encoded, self.segments) = (encoded, segments)
    }

    /// The payload, untrusted until ``verify(with:allowing:)`` succeeds.
    public var payload: [UInt8] { segments.payload }

    package var signature: [UInt8] { segments.signature }

    /// The JWS signing input: header and payload as they were received.
    package var signingInput: [UInt8] {
        encoded.withSigningInput { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// The header as it was received, in base64url.
    package var encodedHeader: [UInt8] { Array(encoded.text.utf8.prefix(encoded.headerCount)) }

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - key: The public key of the signer.
    ///   - algorithms: The accepted algorithms, whatever the header says (RFC 8725 section 3.1).
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

    /// Whether a key made the signature, with the algorithm named in the header.
    ///
    /// The caller checks the allow-list.
    package func isSigned(by key: JWK) -> Bool {
        let algorithm = algorithm
        guard key.fits(algorithm) else { return false }
        let material = key.material
        return withSignedParts { material.isValidSignature($0, for: $1, algorithm: algorithm) }
    }

    /// Calls a function with the signature and the signing input, without copying them.
    package func withSignedParts(_ body: (_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool) -> Bool {
        encoded.withSigningInput { message in segments.withSignature { body($0, message) } }
    }

    /// The payload as a JSON object.
    ///
    /// - Returns: The object, untrusted until ``verify(with:allowing:)`` succeeds.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedToken``.
    public func payloadObject() throws(JOSEError) -> JSONObject {
        try foldedPayload().object
    }

    /// The payload as a JSON object, for reading several members.
    ///
    /// - Returns: The object, untrusted until the signature is verified.
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
    ///   - header: The protected header. The key sets `alg`.
    ///   - payload: The bytes to sign.
    ///   - key: The private key.
    /// - Returns: The message in compact serialization.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/signingFailed``, with the key's own error as
    ///   ``JOSEError/underlying``.
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

    /// The JWS signing input (RFC 7515 section 5.1).
    ///
    /// A caller that signs often keeps the header encoded in base64url.
    package static func signingInput(encodedHeader: [UInt8], payload: [UInt8]) -> [UInt8] {
        var message = encodedHeader
        // Reserves space for two dots and a signature of ES256. A longer signature only costs a copy.
        message.reserveCapacity(encodedHeader.count + payload.count * 4 / 3 + 92)
        message.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &message)
        return message
    }

    /// Appends the signature to the signing input, in compact serialization (RFC 7515 section 7.1).
    package static func text(signingInput: consuming [UInt8], signature: [UInt8]) -> String {
        signingInput.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &signingInput)
        return String(decoding: signingInput, as: UTF8.self)
    }
}
