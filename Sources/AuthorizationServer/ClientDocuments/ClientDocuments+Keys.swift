// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

extension ClientDocuments {
    /// Fetches the keys for the client assertion of a request, unless they are known (RFC 7523 section 3), and for the request
    /// object beside it (RFC 9101 section 6.2).
    ///
    /// - Parameters:
    ///   - client: The client, as ``prepare(_:startsSignIn:at:)`` found it.
    ///   - credentials: How the request authenticates it.
    ///   - requestObject: The request object; `nil` if there is none.
    ///   - now: The time.
    /// - Returns: The keys; `nil` if the client has no `jwks_uri`, or the request no assertion that could be its own.
    /// - Throws: A failure that says why there are no keys: without them nobody is authenticated.
    func fetchKeys(
        of client: RegisteredClient?,
        for credentials: ClientCredentials,
        requestObject: String?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> FetchedClientKeys? {
        // Without the client's own assertion, nothing else of the request is looked at.
        guard case .assertion(let text) = credentials.proof,
            let assertion = Self.signed(text, by: services.configuration.clientAssertionAlgorithms)
        else { return nil }
        return try await fetchKeys(of: client, for: [assertion] + signedRequests(requestObject), at: now)
    }

    /// Fetches the keys for the request object that a browser brings, unless they are known (RFC 9101 section 6.2).
    ///
    /// - Parameters:
    ///   - client: The client, as ``prepare(_:startsSignIn:at:)`` found it.
    ///   - requestObject: The request object; `nil` if there is none.
    ///   - now: The time.
    /// - Returns: The keys; `nil` if the client has no `jwks_uri`, or the request no object that could be its own.
    /// - Throws: A failure that says why there are no keys: without them nobody has signed the request.
    func fetchKeys(
        of client: RegisteredClient?,
        forRequestObject requestObject: String?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> FetchedClientKeys? {
        try await fetchKeys(of: client, for: signedRequests(requestObject), at: now)
    }

    /// One set for all signatures, fetched again if it lacks the key of one.
    private func fetchKeys(
        of client: RegisteredClient?,
        for signatures: [CompactJWS],
        at now: Timestamp
    ) async throws(ProtocolFailure) -> FetchedClientKeys? {
        guard !signatures.isEmpty, let client, client.tokenEndpointAuthMethod == .privateKeyJWT,
            client.jwks.keys.isEmpty, let text = client.jwksURI, let uri = try? URI(parsing: text)
        else { return nil }
        guard let keySets = services.clientKeySets else {
            throw .clientKeySet("this server sends no requests of its own")
        }
        var keys = JWKSet([])
        for jws in signatures {
            keys = try await keySets.keys(
                at: uri,
                forKeyID: jws.header["kid"]?.stringValue,
                askedBy: services.limitedAddress,
                at: now
            )
        }
        return FetchedClientKeys(uri: text, keys: keys)
    }

    private func signedRequests(_ requestObject: String?) -> [CompactJWS] {
        let object = requestObject.flatMap { Self.signed($0, by: services.configuration.requestObjectAlgorithms) }
        return object.map { [$0] } ?? []
    }

    /// What a key could make valid; anything else causes no request.
    private static func signed(_ text: String, by algorithms: Set<SignatureAlgorithm>) -> CompactJWS? {
        guard let jws = try? CompactJWS(parsing: text), algorithms.contains(jws.algorithm) else { return nil }
        return jws
    }
}
