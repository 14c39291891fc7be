// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import Testing

extension StorageCase {
    static let resealedKeys: [StorageCase] = [
        StorageCase("signing keys are rewrapped all at once, and are the same keys") { store async throws in
            let keys = try await store.twoKeys()
            #expect(try await store.rewrapSigningKeys(keys.map(otherwise)))
            let found = try await store.signingKeys()
            #expect(found.map(\.wrappedKey) == keys.map { otherwise($0).new })
            #expect(found.map(\.keyID) == keys.map(\.keyID) && found.map(\.publicKey) == keys.map(\.publicKey))
        },
        StorageCase("nothing is rewrapped if a key was added, differs, or is named twice") {
            store async throws in
            let keys = try await store.twoKeys()
            var changed = keys.map(otherwise)
            changed[1].old = WrappedKey([9])
            for attempt in [
                Array(keys.map(otherwise).prefix(1)), changed, [otherwise(keys[0]), otherwise(keys[0])],
                keys.map(otherwise) + [RewrappedKey(keyID: "never", old: WrappedKey([1]), new: WrappedKey([2]))],
            ] {
                #expect(try await !store.rewrapSigningKeys(attempt))
                #expect(try await store.signingKeys() == keys)
            }
        },
        StorageCase("a revoked signing key is skipped, and never comes back") { store async throws in
            let keys = try await store.twoKeys()
            let new = try Sample.signingKey("new")
            try await store.revokeSigningKeys(replacingWith: new, at: Sample.now)
            #expect(try await !store.rewrapSigningKeys((keys + [new]).map(otherwise)))
            #expect(try await store.rewrapSigningKeys([otherwise(new)]))
            for key in try await store.signingKeys() where key.keyID != "new" { #expect(key.wrappedKey == .forgotten) }
        },
    ]

    private static func otherwise(_ key: StoredSigningKey) -> RewrappedKey {
        RewrappedKey(keyID: key.keyID, old: key.wrappedKey, new: WrappedKey([7] + key.wrappedKey.bytes))
    }
}

extension AuthorizationStorage {
    fileprivate func twoKeys() async throws -> [StoredSigningKey] {
        let keys = [
            try Sample.signingKey("a"), try Sample.signingKey("b", activeFrom: Sample.now + .seconds(10)),
        ]
        for (key, last) in zip(keys, [nil, "a"]) { #expect(try await add(key, after: last)) }
        return keys
    }
}
