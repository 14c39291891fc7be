// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import SigningKeys

/// The key stores that are not files, for each value of `--key`.
enum KeyDevices {
    /// What `auto` tries before a file, in order of preference: hardware that needs no PIN.
    static let preferred: [AccountKeyPlace] = [.tpm]

    /// The environment variable that selects the TPM, in the syntax of the TCTI loader.
    static let tpmVariable = "KEYBOUND_TPM"

    /// A better location than a file for the key of a new sign-in; `nil` if there is no such hardware.
    static func better(than place: AccountKeyPlace, in directory: String) async -> AccountKeyPlace? {
        guard place.choice == .file || place.choice == .secretService else { return nil }
        for candidate in preferred {
            let store = try? store(candidate, named: "", in: directory) { [] }
            if let store, (try? await store.requireReadiness()) != nil { return candidate }
        }
        return nil
    }

    /// Opens the store of a location that is not a file.
    ///
    /// The name distinguishes the keys of one directory from others on the same device. The directory holds data that
    /// is not secret; `pin` prompts for a PIN.
    static func store(
        _ place: AccountKeyPlace,
        named name: String,
        in directory: String,
        pin: @escaping @Sendable () throws -> [UInt8]
    ) throws -> any KeyStore {
        switch place {
        case .secretService:
            return try SecretServiceKeyStore(directory: directory, name: name)
        case .tpm:
            guard let tcti = ProcessEnvironment.value(tpmVariable) else {
                return try TPMKeyStore(directory: directory)
            }
            return try TPMKeyStore(directory: directory, tcti: tcti)
        case .token(let text):
            let uri = try PKCS11URI(text)
            guard uri.object == nil, uri.id == nil else {
                throw CommandFailure.usage(
                    "the URI names a key in the token, but each account has its own key",
                    hint: "remove 'object' and 'id' from it"
                )
            }
            return try PKCS11KeyStore(uri, pin: uri.pinFile == nil ? .asking(pin) : nil)
        case .passphraseFile, .credentialFile, .clearFile:
            // The caller handles these with KeyFileOpening.
            preconditionFailure("a file is not a device")
        }
    }
}
#endif
