// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

extension ClientDocuments {
    /// Fetches the keys for the client assertion of a request, unless they are known (RFC 7523 section 3).
    ///
    /// - Parameters:
    ///   - client: The client, as ``prepare(_:startsSignIn:at:)`` found it.
    ///   - credentials: How the request authenticates it.
    ///   - now: The time.
    /// - Returns: The keys; `nil` if the client has no `jwks_uri`, or the request no assertion that could be its own.
    /// - Throws: A failure that says why there are no keys: without them nobody is authenticated.
    func fetchKeys(
        of client: RegisteredClient?,
        for credentials: ClientCredentials?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> FetchedClientKeys? {
        guard let client, client.tokenEndpointAuthMethod == .privateKeyJWT, client.jwks.keys.isEmpty,
            let text = client.jwksURI,
            case .assertion(let assertion)? = credentials?.proof
        else { return nil }
        // What no key can make valid causes no request.
        guard let uri = try? URI(parsing: text), let jws = try? CompactJWS(parsing: assertion),
            services.configuration.clientAssertionAlgorithms.contains(jws.algorithm)
        else { return nil }
        guard let keySets = services.clientKeySets else {
            throw .clientKeySet("this server sends no requests of its own")
        }
        let keys = try await keySets.keys(
            at: uri,
            forKeyID: jws.header["kid"]?.stringValue,
            askedBy: services.limitedAddress,
            at: now
        )
        return FetchedClientKeys(uri: text, keys: keys)
    }
}
