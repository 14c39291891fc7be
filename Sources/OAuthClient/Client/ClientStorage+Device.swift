// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import SigningKeys

extension ClientStorage {
    /// Everything where this device keeps it best: the key in the TPM, or else encrypted in files with a secret in the keyring of
    /// the desktop (Secret Service); tokens and waiting sign-ins in files that only the user can read.
    ///
    /// The files are in `$XDG_STATE_HOME/NAME`, by default `~/.local/state/NAME`, which is made if it is missing. A key stays where
    /// it was made.
    ///
    /// On a machine with neither TPM nor keyring, no key can be made: the first sign-in fails with
    /// ``OAuthClientError/Code/keyUnavailable``. There, choose where the secret is: ``directory(_:keysEncryptedWith:)-(String,_)`` or
    /// ``directoryWithUnencryptedKeys(_:)``.
    ///
    /// - Parameter name: The name of the app, such as `com.example.my-app`: 1 to 100 letters, digits, `.`, `-` and `_`, beginning
    ///   with a letter or digit.
    /// - Returns: The storage.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for another name, ``OAuthClientError/Code/storageFailed`` when the
    ///   directory cannot be made.
    public static func device(_ name: String) throws(OAuthClientError) -> ClientStorage {
        try device(name, EnvironmentVariables.all)
    }

    static func device(
        _ name: String,
        _ environment: [String: String],
        tcti: String = "device:/dev/tpmrm0",
        busAddress: String? = nil
    ) throws(OAuthClientError) -> ClientStorage {
        let path = try makeDirectory(name, environment)
        do {
            let keyring = try SecretServiceKeyStore(directory: path + "/keys", name: name, busAddress: busAddress)
            let keys = KeyManager(
                hardware: [KeyLocation("TPM", try TPMKeyStore(directory: path + "/tpm-keys", tcti: tcti))],
                software: KeyLocation("keyring", keyring),
                placements: FileKeyLocationStore(directory: path + "/key-places")
            )
            return directory(path, keysIn: keys)
        } catch {
            throw OAuthClientError(error, otherwise: .keyUnavailable, "the stores of keys cannot be used")
        }
    }

    private static func makeDirectory(
        _ name: String,
        _ environment: [String: String]
    ) throws(OAuthClientError) -> String {
        try requireName(name)
        guard let state = StateHome.path(environment) else {
            throw OAuthClientError(.storageFailed, "neither HOME nor XDG_STATE_HOME names a directory for files")
        }
        let path = state + "/" + name
        do {
            try PrivateDirectory.makeWithParents(at: path)
            try PrivateDirectory.requirePrivate(path)
        } catch {
            throw OAuthClientError(.storageFailed, error.reason, underlying: error)
        }
        return path
    }
}
#endif

extension ClientStorage {
    /// Checks the name of an app, which becomes part of a path.
    static func requireName(_ name: String) throws(OAuthClientError) {
        let isPlain = name.utf8.allSatisfy { byte in
            let lower = byte | 0x20
            return (0x61...0x7A).contains(lower) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        let begins = name.utf8.first.map { $0 != 0x2D && $0 != 0x2E && $0 != 0x5F } ?? false
        guard isPlain, begins, name.utf8.count <= 100 else {
            throw OAuthClientError(
                .invalidArgument,
                "the name of a storage is 1 to 100 letters, digits, '.', '-' and '_', such as com.example.my-app"
            )
        }
    }
}
