// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import SigningKeys

/// The stores of keys that are not files: what there is behind each word of `--key`.
enum KeyDevices {
    /// What `auto` tries before a file, the best one first: hardware that asks for no PIN.
    static let preferred: [AccountKeyPlace] = [.tpm]

    /// The environment variable that says how the TPM is reached, in the words of the TCTI loader.
    static let tpmVariable = "KEYBOUND_TPM"

    /// Where the key of a new sign-in would be better off than in a file; `nil` when there is no such hardware.
    static func better(than place: AccountKeyPlace, in directory: String) async -> AccountKeyPlace? {
        guard place.choice == .file || place.choice == .secretService else { return nil }
        for candidate in preferred {
            let store = try? store(candidate, named: "", in: directory) { [] }
            if let store, (try? await store.requireReadiness()) != nil { return candidate }
        }
        return nil
    }

    /// Opens the store of a place that is no file.
    ///
    /// The name tells keys of one directory from those of another where a device keeps them for many; the directory has what is not
    /// secret; `pin` asks for a PIN.
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
                    "the URI names a key in the token, and each account has a key of its own",
                    hint: "leave 'object' and 'id' out of it"
                )
            }
            return try PKCS11KeyStore(uri, pin: uri.pinFile == nil ? .asking(pin) : nil)
        case .passphraseFile, .credentialFile, .clearFile:
            // Whoever asks has looked: KeyFileOpening opens files.
            preconditionFailure("a file is not a device")
        }
    }
}
#endif
