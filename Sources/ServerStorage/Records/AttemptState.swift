// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// What is known about the attempts of one key: a number and a time, whose meaning the rule decides that counts them.
public struct AttemptState: Sendable, Hashable {
    /// For example how many attempts failed.
    public var count: Int
    /// For example when the last one was.
    public var time: Timestamp
    /// From when on the state means nothing and can be deleted.
    public var expiresAt: Timestamp

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - count: A number, at least 0.
    ///   - time: A time.
    ///   - expiresAt: From when on the state means nothing.
    public init(count: Int, time: Timestamp, expiresAt: Timestamp) {
        self.count = count
        self.time = time
        self.expiresAt = expiresAt
    }
}
