// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
import StrictJSON

/// Creates proofs with one key (RFC 9449 section 4.2).
public struct DPoPProofFactory: Sendable {
    /// The key that signs the proofs; its public half is `jwk` of their header.
    public let key: any SigningKey
    private let encodedHeader: [UInt8]
    private let clock: any WallClock
    private let identifiers: ProofIdentifiers

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - key: The key that signs.
    ///   - clock: The source of `iat`.
    ///   - entropy: The source of randomness for `jti`.
    public init(
        key: any SigningKey,
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) {
        self.key = key
        self.clock = clock
        identifiers = ProofIdentifiers(entropy: entropy)
        let header: JSONObject = [
            "typ": "dpop+jwt",
            "alg": .string(key.algorithm.rawValue),
            // Only the public members: a `kid` or `use` would disclose more than the server needs.
            "jwk": .object(JWK(material: key.publicKey.material).json),
        ]
        encodedHeader = Base64URL.encodeToBytes(JSONValue.object(header).encoded())
    }

    /// Creates a proof, with a `jti` of 128 random bits.
    ///
    /// - Parameters:
    ///   - method: The method of the request, exactly as it is sent.
    ///   - targetURI: The URI of the request, exactly as it is sent, with all redirects and base URLs resolved.
    ///   - accessToken: The access token that the request carries, exactly as it is sent; `nil` at the token endpoint.
    ///   - nonce: The newest nonce that the server issued, if any.
    ///   - time: `iat`; by default the time of the factory's clock.
    /// - Returns: The value of the `DPoP` field.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/signingFailed``.
    public func proof(
        method: String,
        targetURI: TargetURI,
        accessToken: String? = nil,
        nonce: String? = nil,
        at time: Timestamp? = nil
    ) async throws(DPoPError) -> String {
        let time = time ?? clock.now()
        let claims = payload(method: method, targetURI: targetURI, accessToken: accessToken, nonce: nonce, at: time)
        let message = CompactJWS.signingInput(encodedHeader: encodedHeader, payload: claims)
        do {
            let signature = try await key.sign(message)
            return CompactJWS.text(signingInput: message, signature: signature)
        } catch {
            throw DPoPError(.signingFailed, "the key did not sign the proof", underlying: error)
        }
    }

    /// The claims as JSON, written into one buffer: building a JSON tree would cost as much as the rest of the proof.
    private func payload(
        method: String,
        targetURI: TargetURI,
        accessToken: String?,
        nonce: String?,
        at time: Timestamp
    ) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(192 + targetURI.htu.utf8.count + (nonce?.utf8.count ?? 0))
        json.append(#"{"jti":""#)
        identifiers.append(to: &json)
        json.append(#"","htm":"#)
        JSONWriter.write(method, to: &json)
        json.append(#","htu":"#)
        JSONWriter.write(targetURI.htu, to: &json)
        json.append(#","iat":"#)
        JSONWriter.write(time.secondsSince1970, to: &json)
        if let accessToken {
            json.append(#","ath":""#)
            AccessTokenHash.append(for: accessToken, to: &json)
            json.append(UInt8(ascii: "\""))
        }
        if let nonce {
            json.append(#","nonce":"#)
            JSONWriter.write(nonce, to: &json)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }
}
