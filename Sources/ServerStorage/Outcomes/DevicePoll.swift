// SPDX-License-Identifier: Apache-2.0

/// What a device is told that asks whether the person has answered (RFC 8628 section 3.5).
public enum DevicePoll: Sendable, Hashable {
    /// Not yet.
    case pending
    /// Not yet, and it asked too soon: from now on it waits for five seconds more.
    case slowDown
    /// The person said no.
    case denied
    /// The person did not answer in time.
    case expired
    /// The person allowed it, under this grant; tokens may have been given out for it before.
    case allowed(grantID: String)
    /// There is no such code.
    case unknown
}
