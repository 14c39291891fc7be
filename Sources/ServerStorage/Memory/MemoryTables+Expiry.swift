// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension MemoryTables {
    /// Deletes expired entries in a scan of all entries.
    mutating func deleteExpired(at now: Timestamp, limit: Int) -> Int {
        var left = max(0, limit)
        left -= Self.delete(&requests, atMost: left) { $0.expiresAt <= now }.count
        left -= Self.delete(&sessions, atMost: left) { $0.expiresAt <= now }.count
        left -= Self.delete(&accessTokens, atMost: left) { $0.expiresAt <= now }.count

        let oldDevices = Self.delete(&devices, atMost: left) { device in
            StorageRetention.isOver(device.state.expiresAt, isAllowed: device.state.grantID != nil, at: now)
        }
        for device in oldDevices { remove(device.record) }
        left -= oldDevices.count

        let horizon = StorageRetention.horizon(at: now)
        let oldCodes = Self.delete(&codes, atMost: left) { $0.record.expiresAt <= horizon }
        for code in oldCodes { challenges.remove(code.record.challenge) }
        left -= oldCodes.count
        let oldTokens = Self.delete(&refreshTokens, atMost: left) { $0.record.expiresAt <= horizon }
        left -= oldTokens.count

        for grantID in oldCodes.map(\.record.grantID) + oldTokens.map(\.record.grantID) {
            forgetToken(of: Key(grantID))
        }
        left -= Self.delete(&registrationTokens, atMost: left) { $0.expiresAt <= now }.count
        left -= deleteEmptyGrants(atMost: left)
        left -= Self.delete(&grants, atMost: left) { $0.expiresAt.map { $0 <= now } ?? false }.count
        return max(0, limit) - left
    }

    private mutating func forgetToken(of grant: Key) {
        guard var entry = grants[grant] else { return }
        entry.tokenCount -= 1
        grants[grant] = entry
        if entry.tokenCount == 0 { emptyGrants.insert(grant) }
    }

    private mutating func deleteEmptyGrants(atMost limit: Int) -> Int {
        let deleted = Array(emptyGrants.prefix(limit))
        for grant in deleted {
            emptyGrants.remove(grant)
            grants[grant] = nil
        }
        return deleted.count
    }

    private static func delete<ID, Entry>(
        _ table: inout [ID: Entry],
        atMost limit: Int,
        where isOver: (Entry) -> Bool
    ) -> [Entry] {
        var deleted: [(id: ID, entry: Entry)] = []
        for (id, entry) in table where deleted.count < limit && isOver(entry) {
            deleted.append((id, entry))
        }
        for (id, _) in deleted { table[id] = nil }
        return deleted.map(\.entry)
    }
}
