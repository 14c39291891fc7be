// SPDX-License-Identifier: Apache-2.0

/// The result of a device's poll (RFC 8628 section 3.5).
public enum DevicePoll: Sendable, Hashable {
    /// The user has not decided yet.
    case pending
    /// The user has not decided yet, and the device polled too soon: its interval is now five seconds longer.
    case slowDown
    /// The user denied the device.
    case denied
    /// The user did not decide in time.
    case expired
    /// The user allowed the device; tokens may already have been issued.
    case allowed
    /// There is no such code.
    case unknown
}
