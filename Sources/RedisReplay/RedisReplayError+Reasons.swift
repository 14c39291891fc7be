// SPDX-License-Identifier: Apache-2.0

extension RedisReplayError {
    static let isAway = RedisReplayError(.unavailable, "Redis does not answer in time")
    static let hasTooMuchWaiting = RedisReplayError(.unavailable, "too many proofs wait for Redis")
    static let wasClosed = RedisReplayError(.closed, "the store was closed")

    /// An error that Redis answered, by its first word; the rest may name keys and users.
    static func answered(_ text: String) -> RedisReplayError {
        switch text.prefix(while: { $0 != " " }) {
        case "NOAUTH", "WRONGPASS":
            RedisReplayError(.misconfigured, "Redis rejects the password; check the password and the user")
        case "NOPERM":
            RedisReplayError(
                .misconfigured,
                "the user of Redis may not use AUTH, INFO, GET and SET on keys that begin with kb:"
            )
        // Not a matter of the settings: a replica may become the primary, and a full disk may be emptied.
        case "READONLY":
            RedisReplayError(
                .unavailable,
                "Redis is a read-only replica; make it the primary, or use the address of the primary"
            )
        case "MISCONF":
            RedisReplayError(
                .unavailable,
                "Redis refuses writes since it cannot save; persistence is not needed: save \"\""
            )
        case "OOM": RedisReplayError(.unavailable, "Redis is full; raise maxmemory")
        case "LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN":
            RedisReplayError(.unavailable, "Redis is busy")
        default: RedisReplayError(.unavailable, "Redis answers with an error that is not expected")
        }
    }
}
