// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// The request that a proof is checked against.
public struct ExpectedRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The method of the request, as received (`htm`).
    public var method: String
    /// The public URI of the request (`htu`): built from the configured public address, never from `Host`.
    public var targetURI: TargetURI
    /// The access token of the request, as received; `nil` at endpoints of an authorization server.
    public var accessToken: String?
    /// The key that the token, code or request is bound to; `nil` if nothing is bound, or the caller compares the key
    /// itself.
    public var thumbprint: JWKThumbprint?

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - method: The method of the request, as received.
    ///   - targetURI: The public URI of the request.
    ///   - accessToken: The access token of the request, as received.
    ///   - thumbprint: The key that the token, code or request is bound to.
    public init(
        method: String,
        targetURI: TargetURI,
        accessToken: String? = nil,
        thumbprint: JWKThumbprint? = nil
    ) {
        self.method = method
        self.targetURI = targetURI
        self.accessToken = accessToken
        self.thumbprint = thumbprint
    }

    /// Method and target URI, without the access token.
    public var description: String { "\(method) \(targetURI)" }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "targetURI": targetURI]) }
}
