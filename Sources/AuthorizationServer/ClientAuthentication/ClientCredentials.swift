// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// The client authentication of a request, not yet verified (RFC 6749 section 2.3).
struct ClientCredentials: Sendable {
    /// The credentials, by how they are sent.
    enum Proof: Sendable {
        case nothing
        case secret(String)
        case assertion(String)
        case attestation(String)
    }

    let clientID: String
    let method: ClientAuthenticationMethod
    let proof: Proof

    /// The client of something that the request names instead, which shows nothing itself.
    init(named clientID: String) {
        (self.clientID, method, proof) = (clientID, .none, .nothing)
    }

    /// Finds the one authentication method that the request uses.
    init(_ request: FormRequest) throws(ProtocolFailure) {
        let clientID = try request.parameter("client_id")
        let secret = try request.parameter("client_secret")
        let assertion = try Self.assertion(request)
        let fields = request.http.fields.values(for: "Authorization")
        let attestation = try Self.attestation(request)
        let ways = [!fields.isEmpty, secret != nil, assertion != nil, attestation != nil]
        guard ways.count(where: \.self) <= 1, fields.count <= 1 else {
            throw ProtocolFailure(.invalidRequest, "the client authenticates in more than one way")
        }
        if let field = fields.first {
            let (name, secret) = try Self.basic(field)
            guard clientID?.isIdentical(to: name) ?? true else { throw .clientRejected }
            (self.clientID, method, proof) = (name, .clientSecretBasic, .secret(secret))
        } else if let assertion {
            // RFC 7521 section 4.2: `client_id` is optional, since the assertion names the client.
            guard let name = clientID ?? Self.subject(of: assertion) else { throw .clientRejected }
            (self.clientID, method, proof) = (name, .privateKeyJWT, .assertion(assertion))
        } else if let attestation {
            // draft-ietf-oauth-attestation-based-client-auth-11 section 7.5: the same holds for an attestation.
            guard let name = clientID ?? Self.subject(of: attestation), !name.isEmpty else {
                throw .attestationRefused(.malformed)
            }
            (self.clientID, method, proof) = (name, .attestationWithDPoP, .attestation(attestation))
        } else {
            let name = try request.requiredParameter("client_id")
            method = secret == nil ? .none : .clientSecretPost
            (self.clientID, proof) = (name, secret.map { .secret($0) } ?? .nothing)
        }
    }

    /// RFC 7521 section 4.2: an assertion with the `client_assertion_type` of RFC 7523 section 2.2.
    private static func assertion(_ request: FormRequest) throws(ProtocolFailure) -> String? {
        let type = try request.parameter("client_assertion_type")
        guard let assertion = try request.parameter("client_assertion") else {
            guard type == nil else { throw ProtocolFailure(.invalidRequest, "the client_assertion is missing") }
            return nil
        }
        guard type == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
            throw ProtocolFailure(.invalidClient, "the client_assertion_type is not that of a JWT")
        }
        return assertion
    }

    /// draft-ietf-oauth-attestation-based-client-auth-11 sections 7.1 and 7.3: precisely one field, and none for a
    /// proof of possession.
    private static func attestation(_ request: FormRequest) throws(ProtocolFailure) -> String? {
        guard request.http.fields[ClientAttestationField.proofOfPossession] == nil else {
            throw .attestationRefused(.proof)
        }
        let fields = request.http.fields.values(for: ClientAttestationField.attestation)
        guard fields.count <= 1 else { throw .attestationRefused(.malformed) }
        return fields.first
    }

    /// RFC 6749 section 2.3.1: identifier and secret, each form-encoded.
    private static func basic(_ field: String) throws(ProtocolFailure) -> (clientID: String, secret: String) {
        guard field.utf8.count <= 4096, let credentials = try? Credentials.parse(field), credentials.hasScheme("Basic"),
            let pair = try? Base64.decode(credentials.token68), let colon = pair.firstIndex(of: UInt8(ascii: ":")),
            let clientID = formDecoded(pair[..<colon]), let secret = formDecoded(pair[(colon + 1)...])
        else { throw .clientRejected }
        return (clientID, secret)
    }

    private static func formDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.contains(UInt8(ascii: "&")) else { return nil }
        return try? FormParameters(decoding: Array("x=".utf8) + bytes, maximumCount: 1).value(for: "x")
    }

    /// The unverified `sub` of an assertion or attestation.
    private static func subject(of assertion: String) -> String? {
        guard let payload = try? CompactJWS(parsing: assertion).payloadObject() else { return nil }
        return payload["sub"]?.stringValue
    }
}

extension ProtocolFailure {
    /// One error for every client that fails to authenticate: it does not reveal whether the client exists.
    static let clientRejected = ProtocolFailure(
        .invalidClient,
        "the client is not registered, or does not authenticate in the way that it is registered for"
    )
}
