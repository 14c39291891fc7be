// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// What a proof is checked against: the request that carried it.
public struct ExpectedRequest: Sendable {
    /// The method of the request, as received (`htm`).
    public var method: String
    /// The public URI of the request (`htu`): made from the configured public address, never from `Host`.
    public var targetURI: TargetURI
    /// The access token of the request, as received; `nil` at endpoints of an authorization server.
    public var accessToken: String?
    /// The key that the token, code or request is bound to; `nil` when the caller compares by itself, or nothing is bound.
    public var thumbprint: JWKThumbprint?

    /// Says what is expected.
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
}
