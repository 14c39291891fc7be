// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension MemoryTables {
    /// Deletes expired entries in a scan of all entries.
    mutating func deleteExpired(at now: Timestamp, limit: Int) -> Int {
        var left = max(0, limit)
        left -= singleUses.deleteExpired(at: now, atMost: left)
        left -= Self.delete(&requests, atMost: left) { $0.record.expiresAt <= now }.count
        left -= Self.delete(&sessions, atMost: left) { $0.expiresAt <= now }.count
        left -= Self.delete(&firstPartySessions, atMost: left) { $0.record.expiresAt <= now }.count
        left -= Self.delete(&accessTokens, atMost: left) { $0.expiresAt <= now }.count
        left -= Self.delete(&attempts, atMost: left) { $0.expiresAt <= now }.count

        let oldDevices = Self.delete(&devices, atMost: left) { device in
            StorageRetention.isOver(device.state.expiresAt, isAllowed: device.state.isAllowed, at: now)
        }
        for device in oldDevices { remove(device.record) }
        left -= oldDevices.count

        let horizon = StorageRetention.horizon(at: now)
        let oldCodes = Self.delete(&codes, atMost: left) { $0.record.expiresAt <= horizon }
        for code in oldCodes { challenges.remove(code.record.challenge) }
        left -= oldCodes.count
        left -= Self.delete(&registrationTokens, atMost: left) { $0.expiresAt <= now }.count
        left -= Self.delete(&grants, atMost: left) { $0.expiresAt <= now }.count
        let oldClients = Self.delete(&clients, atMost: left) { $0.expiresAt.map { $0 <= now } ?? false }
        for client in oldClients {
            if let registrationID = client.registrationID { registrations[Key(registrationID)] = nil }
            consents = consents.filter { !$0.value.clientID.isIdentical(to: client.clientID) }
        }
        left -= oldClients.count
        return max(0, limit) - left
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
