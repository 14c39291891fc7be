// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import JOSE
public import OAuthCore
import OAuthCrypto
public import OAuthSystem
package import StrictJSON

/// Uses an attester service: `keybound attester`, or any other that implements its protocol.
///
/// First a challenge, which works once; then a request that is signed with the key to attest, and names its evidence by
/// a hash, so that evidence about one key cannot be sent for another. See `docs/attestation.md`.
public struct HTTPClientAttester: ClientAttester {
    /// `typ` of the signed request.
    package static let requestType = "keybound-attestation-request+jwt"
    /// In bytes.
    private static let maximumResponse = 65_536

    private let address: URI
    private let evidence: any AttestationEvidence
    private let transport: any HTTPTransport
    private let clock: any WallClock

    /// Makes an attester that is called over the network.
    ///
    /// - Parameters:
    ///   - address: The address of the service, without a slash at the end: an https URL.
    ///   - evidence: What is shown about the key.
    ///   - transport: How requests are sent.
    ///   - clock: The source of `iat`.
    ///   - allowsInsecureHTTPOnLoopback: Whether the address may be an http URL of this machine.
    /// - Throws: ``OAuthClientError/Code/insecureURL``, ``OAuthClientError/Code/invalidArgument``.
    public init(
        address: String,
        evidence: any AttestationEvidence = NoEvidence(),
        transport: any HTTPTransport,
        clock: any WallClock = SystemWallClock(),
        allowsInsecureHTTPOnLoopback: Bool = false
    ) throws(OAuthClientError) {
        let policy = URLPolicy(allowsInsecureHTTPOnLoopback: allowsInsecureHTTPOnLoopback)
        guard let uri = try? URI(parsing: address), uri.query == nil, uri.fragment == nil, !uri.path.hasSuffix("/")
        else {
            throw OAuthClientError(
                .invalidArgument,
                "the address of an attester is an absolute URL without query, fragment and slash at the end"
            )
        }
        self.address = try policy.endpoint(uri, "attester")
        (self.evidence, self.transport, self.clock) = (evidence, transport, clock)
    }

    /// A new attestation of a key.
    ///
    /// - Parameters:
    ///   - key: The key, which signs the request.
    ///   - clientID: `client_id`.
    /// - Returns: The attestation.
    /// - Throws: ``OAuthClientError/Code/attestationFailed`` if the attester refuses, or answers something else;
    ///   ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``; an error of the evidence.
    public func attestation(of key: any SigningKey, for clientID: String) async throws -> String {
        let challenge = try await member("challenge", of: post("/challenge", [:]))
        let evidence = try await evidence.evidence(about: key, challenge: challenge)
        let claims: JSONObject = [
            "aud": .string(address.description), "challenge": .string(challenge),
            "iat": .number(JSONNumber(clock.now().secondsSince1970)),
            "evidence_hash": .string(Self.hash(of: evidence)),
        ]
        let request = try await CompactJWS.sign(
            header: ["typ": .string(Self.requestType), "jwk": .object(key.publicKey.json)],
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
        let body: JSONObject = [
            "client_id": .string(clientID), "request": .string(request), "evidence": .object(evidence),
        ]
        return try await member("attestation", of: post("/attestation", body))
    }

    /// `evidence_hash`: base64url of the SHA-256 hash of the evidence as JSON without white space, its members in the
    /// order in which they are sent.
    ///
    /// - Parameter evidence: The evidence.
    /// - Returns: 43 characters.
    package static func hash(of evidence: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(JSONValue.object(evidence).encoded()).bytes)
    }

    private func post(_ path: String, _ object: JSONObject) async throws(OAuthClientError) -> JSONObject {
        let request = HTTPRequest(
            method: "POST",
            target: address.description + path,
            fields: ["Content-Type": "application/json", "Accept": "application/json"],
            body: JSONValue.object(object).encoded()
        )
        let response: HTTPResponse
        do {
            response = try await transport.send(request, maximumBodySize: Self.maximumResponse)
        } catch {
            throw OAuthClientError(transport: error)
        }
        guard response.status == 200 else {
            throw OAuthClientError(.attestationFailed, "the attester refused", failedResponse: FailedResponse(response))
        }
        do {
            return try response.jsonObject()
        } catch {
            throw OAuthClientError(.attestationFailed, "the attester answered no JSON object", underlying: error)
        }
    }

    private func member(_ name: String, of object: JSONObject) throws(OAuthClientError) -> String {
        guard let text = object[name]?.stringValue else {
            throw OAuthClientError(.attestationFailed, "the answer of the attester has no '\(name)'")
        }
        return text
    }
}
