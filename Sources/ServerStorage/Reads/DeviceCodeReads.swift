// SPDX-License-Identifier: Apache-2.0

/// What a device's token request is checked against, all of one moment (RFC 8628 section 3.4).
public struct DeviceCodeReads: Sendable, Hashable {
    /// The client; `nil` if it is not registered.
    public var client: RegisteredClient?
    /// The device authorization; `nil` if it is unknown.
    public var device: StoredDeviceAuthorization?
    /// Whether the user allowed the device.
    public var isAllowed: Bool
    /// The grant of the device; `nil` if it is not in force, or the user has not allowed the device.
    public var grant: Grant?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - device: The device authorization.
    ///   - isAllowed: Whether the user allowed the device.
    ///   - grant: The grant of the device.
    public init(
        client: RegisteredClient?,
        device: StoredDeviceAuthorization? = nil,
        isAllowed: Bool = false,
        grant: Grant? = nil
    ) {
        self.client = client
        self.device = device
        self.isAllowed = isAllowed
        self.grant = grant
    }
}
