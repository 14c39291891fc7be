// SPDX-License-Identifier: Apache-2.0

import DPoP
import StrictJSON

/// A proof as it is stored: its key, how long it is kept, and who stored it.
struct RedisRecord: Sendable {
    /// The size of the random value of an attempt, in bytes.
    static let attemptSize = 16
    /// How many bytes of the replay key name the proof.
    private static let nameSize = 16

    /// The name in Redis.
    let name: [UInt8]
    /// How long it is kept, in milliseconds, in decimal.
    let milliseconds: [UInt8]
    /// A random value: a repeat after a lost answer finds it, and knows that it is its own.
    let attempt: [UInt8]

    init(_ key: ReplayKey, lifetime: Duration, attempt: [UInt8]) {
        name = Array("kb:r:\(Base64URL.encode(Array(key.bytes.prefix(Self.nameSize))))".utf8)
        let (seconds, attoseconds) = lifetime.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        let rounded = milliseconds.partialValue + attoseconds / 1_000_000_000_000_000 + 1
        // Redis refuses a time that is not positive; such a proof has expired, and is kept for a moment.
        self.milliseconds = Array("\(milliseconds.overflow ? Int64(86_400_000) : max(rounded, 1))".utf8)
        self.attempt = Array(Base64URL.encode(attempt).utf8)
    }
}
