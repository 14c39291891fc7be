// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem

/// A device that waits for a person to allow it something in a browser elsewhere (RFC 8628), as it is stored.
public struct StoredDeviceAuthorization: Sendable, Hashable {
    /// The hash of the code that the device asks with.
    public var deviceCodeHash: SecretHash
    /// The hash of the code that the person types.
    public var userCodeHash: SecretHash
    /// Who may ask.
    public var clientID: String
    /// What is asked for.
    public var scope: Scope
    /// `resource`: the APIs that tokens are asked for; none for the default one (RFC 8707 section 2.1).
    public var resources: [String] = []
    /// `authorization_details` (RFC 9396 section 2).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// The key of the proof that came with the request: only it may ask.
    public var dpopThumbprint: JWKThumbprint?
    /// How long the device has to wait between two questions, at first.
    public var interval: Duration
    /// When the codes can no longer be used.
    public var expiresAt: Timestamp

    /// Makes a device that waits.
    ///
    /// - Parameters:
    ///   - deviceCodeHash: The hash of the code that the device asks with.
    ///   - userCodeHash: The hash of the code that the person types.
    ///   - clientID: Who may ask.
    ///   - scope: What is asked for.
    ///   - dpopThumbprint: The key of the proof that came with the request.
    ///   - interval: How long the device has to wait between two questions, at first.
    ///   - expiresAt: When the codes can no longer be used.
    public init(
        deviceCodeHash: SecretHash,
        userCodeHash: SecretHash,
        clientID: String,
        scope: Scope,
        dpopThumbprint: JWKThumbprint? = nil,
        interval: Duration,
        expiresAt: Timestamp
    ) {
        self.deviceCodeHash = deviceCodeHash
        self.userCodeHash = userCodeHash
        self.clientID = clientID
        self.scope = scope
        self.dpopThumbprint = dpopThumbprint
        self.interval = interval
        self.expiresAt = expiresAt
    }
}
