// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem

/// A stored device authorization: a device that waits for a user's decision in a browser elsewhere (RFC 8628).
public struct StoredDeviceAuthorization: Sendable, Hashable {
    /// The hash of the device code.
    public var deviceCodeHash: SecretHash
    /// The hash of the user code.
    public var userCodeHash: SecretHash
    /// The identifier that the grant gets if the user allows the device; the device code names it.
    public var grantID: String
    /// The client that may poll.
    public var clientID: String
    /// The requested scope.
    public var scope: Scope
    /// `resource`: the APIs for which tokens are requested; empty for the default one (RFC 8707 section 2.1).
    public var resources: [String] = []
    /// `authorization_details` (RFC 9396 section 2).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// The key of the proof that came with the request: only a holder of this key may poll.
    public var dpopThumbprint: JWKThumbprint?
    /// The initial minimum interval between two polls.
    public var interval: Duration
    /// When the codes expire.
    public var expiresAt: Timestamp

    /// Makes a pending device authorization.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the device code.
    ///   - userCodeHash: The hash of the user code.
    ///   - grantID: The identifier that the grant gets.
    ///   - clientID: The client that may poll.
    ///   - scope: The requested scope.
    ///   - dpopThumbprint: The key of the proof that came with the request.
    ///   - interval: The initial minimum interval between two polls.
    ///   - expiresAt: When the codes expire.
    public init(
        deviceCodeHash: SecretHash,
        userCodeHash: SecretHash,
        grantID: String,
        clientID: String,
        scope: Scope,
        dpopThumbprint: JWKThumbprint? = nil,
        interval: Duration,
        expiresAt: Timestamp
    ) {
        self.deviceCodeHash = deviceCodeHash
        self.userCodeHash = userCodeHash
        self.grantID = grantID
        self.clientID = clientID
        self.scope = scope
        self.dpopThumbprint = dpopThumbprint
        self.interval = interval
        self.expiresAt = expiresAt
    }
}
