// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import SigningKeys

/// The stores of keys that are not files: what there is behind each word of `--key`.
enum KeyDevices {
    /// What `auto` tries before a file, the best one first: hardware that asks for no PIN.
    static let preferred: [AccountKeyPlace] = []

    /// Opens the store of a place.
    ///
    /// - Parameters:
    ///   - place: No file.
    ///   - name: What tells the keys of one directory from those of another, where a device keeps them for many.
    ///   - directory: Where the store keeps what is not secret.
    ///   - pin: What asks for a PIN.
    static func store(
        _ place: AccountKeyPlace,
        named name: String,
        in directory: String,
        pin: @escaping @Sendable () throws -> [UInt8]
    ) throws -> any KeyStore {
        switch place {
        case .secretService: try SecretServiceKeyStore(directory: directory, name: name)
        default:
            throw CommandFailure.usage("this version of keybound keeps no keys in \(place.choice.name)")
        }
    }
}
#endif
