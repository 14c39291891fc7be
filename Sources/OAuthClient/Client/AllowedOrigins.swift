// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthTransport

/// Where the access tokens of a client may go.
struct AllowedOrigins: Sendable {
    /// Scheme, host and port, normalised; `nil` for everywhere.
    private let origins: Set<String>?

    /// Checks that each text is an origin: a URL without path, query and fragment.
    ///
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``.
    init(_ texts: Set<String>?, _ policy: URLPolicy) throws(OAuthClientError) {
        guard let texts else {
            origins = nil
            return
        }
        var origins: Set<String> = []
        for text in texts {
            guard let uri = try? URI(parsing: text), let origin = uri.origin, uri.userinfo == nil,
                uri.path.isEmpty || uri.path == "/", uri.query == nil, uri.fragment == nil
            else {
                throw OAuthClientError(
                    .invalidArgument,
                    "an entry of 'allowedOrigins' is not scheme, host and port alone, such as https://api.example.com"
                )
            }
            try policy.requireSecure(uri, "an entry of 'allowedOrigins'")
            origins.insert(origin)
        }
        self.origins = origins
    }

    /// - Throws: ``OAuthClientError/Code/originNotAllowed``.
    func require(_ origin: String) throws(OAuthClientError) {
        guard let origins, !origins.contains(origin) else { return }
        throw OAuthClientError(
            .originNotAllowed,
            "the access token may not be sent to \(origin), which is not in 'allowedOrigins'"
        )
    }
}

extension OAuth2Client {
    /// A request of the app with a token of this client.
    ///
    /// - Throws: ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/insecureURL``,
    ///   ``OAuthClientError/Code/originNotAllowed``.
    func protectedCall(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) throws(OAuthClientError) -> ProtectedCall {
        let call = try ProtectedCall(request, body: body, timeout: timeout, urlPolicy)
        try allowedOrigins.require(call.origin)
        return call
    }
}
