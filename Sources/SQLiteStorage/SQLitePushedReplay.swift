// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import OAuthSystem

/// The proofs of pushed requests, shared by every process that uses the database (RFC 9449 section 11.1).
///
/// Any client can push a request, so these proofs have a separate pool. An attacker who fills it delays pushed requests
/// but no token requests. A proof costs the server no more than the request that is stored after it, and the limit per
/// address counts both.
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
