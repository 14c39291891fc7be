// SPDX-License-Identifier: Apache-2.0

import JOSE

extension KeyManager {
    /// All stores, hardware first.
    var places: [KeyLocation] { hardware + [software] }

    /// Where a new key may be made, the best location first.
    var placesForNewKeys: [KeyLocation] {
        switch policy {
        case .requireHardware: hardware
        case .softwareOnly: [software]
        default: places
        }
    }

    /// Whether an error means that a store cannot have a key of this program, as opposed to one that it cannot open.
    static func meansNothingHere(_ error: KeyStoreError) -> Bool {
        !error.forbidsFallback
            && [.deviceUnavailable, .unsupportedAlgorithm, .missingEntitlement].contains(error.code)
    }

    static func lost(_ alias: KeyAlias) -> KeyStoreError {
        KeyStoreError(.keyLost, "the key \(alias) is gone from where it was kept: sign in again")
    }

    func place(named name: String) throws(KeyStoreError) -> KeyLocation {
        guard let place = places.first(where: { $0.name == name }) else {
            throw KeyStoreError(.deviceUnavailable, "the key is in \(name), which this program does not use now")
        }
        return place
    }

    /// The key of an alias whose location is recorded.
    func recordedKey(
        _ alias: KeyAlias,
        in name: String,
        _ report: @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        do throws(KeyStoreError) {
            guard let key = try await place(named: name).store.load(alias) else { throw Self.lost(alias) }
            return try accepted(key)
        } catch {
            if error.code == .keyLost { report(KeyEvent(.lost, alias, in: name, error: error)) }
            if error.code == .deviceLocked { report(KeyEvent(.locked, alias, in: name, error: error)) }
            throw error
        }
    }

    /// The key of an alias whose location is not recorded.
    ///
    /// It was made before there was a manager, or by a process that ended before it recorded the location. A store
    /// without its device is skipped; one whose device cannot be reached is an error, because it may have the key.
    func unrecordedKey(_ alias: KeyAlias) async throws(KeyStoreError) -> (key: any SigningKey, place: KeyLocation)? {
        for place in places {
            do throws(KeyStoreError) {
                if let key = try await place.store.load(alias) { return (try accepted(key), place) }
            } catch {
                guard Self.meansNothingHere(error) else { throw error }
            }
        }
        return nil
    }

    private func accepted(_ key: any SigningKey) throws(KeyStoreError) -> any SigningKey {
        guard policy == .requireHardware, key.protection != .hardwareBound else { return key }
        throw KeyStoreError(
            .hardwareRequired,
            "the key is \(key.protection), but the configuration requires hardware keys: delete it and sign in again"
        )
    }
}
