// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// How a ``RedisReplayStore`` reaches Redis.
///
/// It does not print: it may have a password.
public struct RedisReplayConfiguration: Sendable, RedactedSecret {
    /// Where Redis listens.
    public var address: RedisAddress
    /// The user of Redis (`ACL`); `nil` for the default user.
    public var username: String?
    /// The password; `nil` if Redis asks for none.
    public var password: [UInt8]?
    /// How long a proof may wait for its answer; then it is rejected; by default 200 ms.
    public var timeout: Duration = .milliseconds(200)
    /// How many proofs may wait; further ones are rejected at once; by default 10,000.
    public var capacity = 10_000

    /// Describes a Redis without a password.
    ///
    /// - Parameter address: Where it listens.
    public init(address: RedisAddress) {
        self.address = address
    }
}
