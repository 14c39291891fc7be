// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

extension OAuth2Client {
    /// A pushed request is read at once; one in the browser may wait for a slow machine, or for the user to paste the
    /// URL.
    static let lifetimeOfPushedRequest = Duration.seconds(60)
    private static let lifetimeInBrowser = Duration.seconds(300)

    /// The key that signs the request to this server; `nil` if the request is not signed.
    func requestObjectSigning(
        for metadata: AuthorizationServerMetadata
    ) throws(OAuthClientError) -> RequestObjectSigning? {
        guard let signing = configuration.requestObjectSigning else {
            guard !metadata.requireSignedRequestObject else {
                throw OAuthClientError(
                    .signedRequestRequired,
                    "the server accepts only signed authorization requests: set requestObjectSigning"
                )
            }
            return nil
        }
        guard signing.isAlways || metadata.requireSignedRequestObject else { return nil }
        let algorithm = signing.key.algorithm.rawValue
        if let algorithms = metadata.requestObjectSigningAlgValuesSupported, !algorithms.contains(algorithm) {
            throw OAuthClientError(
                .unsupportedByServer,
                "the server does not support authorization requests signed with \(algorithm)"
            )
        }
        return signing
    }

    /// The URL that carries the whole request through the browser.
    func urlForBrowser(
        _ endpoint: URI,
        _ parameters: FormParameters,
        signedWith signing: RequestObjectSigning?,
        _ metadata: AuthorizationServerMetadata
    ) async throws(OAuthClientError) -> URI {
        if signing != nil, metadata.otherMembers["request_parameter_supported"] == .bool(false) {
            throw OAuthClientError(
                .unsupportedByServer,
                "the server accepts signed authorization requests neither in URLs nor pushed"
            )
        }
        let sent = try await form(parameters, signedWith: signing, lifetime: Self.lifetimeInBrowser)
        let url = endpoint.appendingQuery(sent)
        // Roughly what browsers, proxies and servers accept.
        guard url.description.utf8.count <= URI.maximumLength else {
            throw OAuthClientError(
                .requestTooLong,
                "the authorization request is longer than \(URI.maximumLength) bytes, too long for a URL: "
                    + "use a server with pushed authorization requests (PAR)"
            )
        }
        return url
    }

    /// Pushes the request, signed if configured.
    ///
    /// A repeated request is signed again (RFC 9126 section 3).
    func push(
        _ parameters: FormParameters,
        signedWith signing: RequestObjectSigning?,
        to endpoint: URI,
        _ context: DPoPContext?
    ) async throws(OAuthClientError) -> HTTPResponse {
        var attempt = RequestAttempt(.pushedAuthorization)
        return try await repeater.run(.harmless, &attempt) { attempt throws(OAuthClientError) in
            try await server.post(to: endpoint, provingWith: context, &attempt) { () async throws(OAuthClientError) in
                try await form(parameters, signedWith: signing, lifetime: Self.lifetimeOfPushedRequest)
            }
        }
    }

    /// The parameters as they are sent.
    ///
    /// In a signed request, only the client is outside the JWT (RFC 9101 section 5).
    func form(
        _ parameters: FormParameters,
        signedWith signing: RequestObjectSigning?,
        lifetime: Duration
    ) async throws(OAuthClientError) -> FormParameters {
        guard let signing else { return parameters }
        let object = try await RequestObject(parameters).signed(
            with: signing,
            by: clientID,
            for: issuer,
            lifetime: lifetime,
            now: server.clock.now(),
            entropy: entropy
        )
        return ["client_id": clientID, "request": object]
    }
}
