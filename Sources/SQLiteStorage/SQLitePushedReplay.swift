// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import OAuthSystem

/// The proofs of pushed requests, remembered by every process that uses the database (RFC 9449 section 11.1).
///
/// Nothing is needed to push a request, so they fill a pool of their own: who fills it holds up pushed requests, and no token. It
/// costs a sender no more of the server than the request does that is stored after it, and the limit by address counts both.
struct SQLitePushedReplay: ReplayStore {
    /// About 200 bytes each.
    private static let capacity = 200_000
    private static let capacityPerKey = 50_000

    let writer: SQLiteWriter
    var capacity = Self.capacity

    func insert(
        _ key: ReplayKey,
        until end: Timestamp,
        now: Timestamp
    ) async throws -> ReplayInsertion {
        try await ReplayPool.pushed.insert(
            key,
            until: end,
            now: now,
            all: capacity,
            perKey: Self.capacityPerKey,
            writer
        )
    }
}
#endif
