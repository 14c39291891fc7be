// SPDX-License-Identifier: Apache-2.0

import JOSE
import Synchronization

/// Makes one key in the first location that can, while no other task or process makes one.
struct KeyCreation {
    let manager: KeyManager
    let alias: KeyAlias
    let algorithm: SignatureAlgorithm
    let report: @Sendable (KeyEvent) -> Void

    /// Makes the key and records its location; no caller gets a key whose location is not recorded.
    func run() async throws(KeyStoreError) -> any SigningKey {
        do throws(KeyStoreError) {
            return try await makeAnywhere()
        } catch {
            report(KeyEvent(.creationFailed, alias, error: error))
            throw error
        }
    }

    private func makeAnywhere() async throws(KeyStoreError) -> any SigningKey {
        var failure: KeyStoreError?
        let places = manager.placesForNewKeys
        for (index, place) in places.enumerated() {
            do throws(KeyStoreError) {
                return try await make(in: place)
            } catch {
                guard KeyManager.meansNothingHere(error) || error.code == .hardwareRequired else { throw error }
                if index + 1 < places.count { report(KeyEvent(.fellBack, alias, in: place.name, error: error)) }
                failure = error
            }
        }
        guard manager.policy == .requireHardware, failure?.code != .unsupportedAlgorithm else {
            throw failure ?? KeyStoreError(.deviceUnavailable, "there is no store to make the key in")
        }
        throw KeyStoreError(
            .hardwareRequired,
            "a key in hardware is needed, and none can be made here" + (failure.map { ": " + $0.reason } ?? ""),
            underlying: failure
        )
    }

    private func make(in place: KeyLocation) async throws(KeyStoreError) -> any SigningKey {
        let (key, isNew) = try await obtain(in: place)
        guard manager.policy != .requireHardware || key.protection == .hardwareBound else {
            if isNew { try await place.store.delete(alias) }
            throw KeyStoreError(
                .hardwareRequired,
                "what \(place.name) \(isNew ? "makes" : "has") is \(key.protection), not bound to hardware; "
                    + (isNew ? "the key was deleted" : "the key was there before, and stays")
            )
        }
        do throws(KeyStoreError) {
            try await manager.placements.record(place.name, of: alias)
        } catch {
            // No caller has the key, and without a record it would seem not to exist while its device is disconnected.
            if isNew { try? await place.store.delete(alias) }
            throw error
        }
        if isNew { report(KeyEvent(.made, alias, in: place.name, protection: key.protection)) }
        return key
    }

    /// A key of this location, and whether it was just made.
    ///
    /// A device that was disconnected during the search may already have one.
    private func obtain(in place: KeyLocation) async throws(KeyStoreError) -> (key: any SigningKey, isNew: Bool) {
        let isNew = Flag()
        let key = try await place.store.loadOrGenerate(alias: alias, algorithm: algorithm) { event in
            if event.kind == .made { isNew.raise() }
        }
        return (key, isNew.isRaised)
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isRaised: Bool { value.load(ordering: .acquiring) }

        func raise() {
            value.store(true, ordering: .releasing)
        }
    }
}
