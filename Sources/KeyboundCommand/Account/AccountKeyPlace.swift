// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Where the key of an account is stored, and what opens it.
///
/// Contains no secrets.
enum AccountKeyPlace: Sendable, Hashable {
    /// A file encrypted with a passphrase that the user types.
    case passphraseFile
    /// A file encrypted with 32 bytes from another file, given by its absolute path; `nil` if they came from a
    /// descriptor.
    case credentialFile(path: String?)
    /// An unencrypted file.
    case clearFile
    /// A file encrypted with a secret in the desktop's keyring.
    case secretService
    /// The TPM of this machine.
    case tpm
    /// A token, given by its PKCS #11 URI (RFC 7512).
    case token(uri: String)

    /// The name of a token in ``json``.
    private static let tokenName = "pkcs11"

    /// The location in the words of `--key`.
    var choice: KeyChoice {
        switch self {
        case .passphraseFile, .credentialFile, .clearFile: .file
        case .secretService: .secretService
        case .tpm: .tpm
        case .token(let uri): .token(uri: uri)
        }
    }

    /// How the key is protected, in words.
    var description: String {
        switch self {
        case .passphraseFile: "encrypted with a passphrase"
        case .credentialFile: "encrypted with a credential"
        case .clearFile: "not encrypted"
        case .secretService: "encrypted with a secret of the desktop's keyring"
        case .tpm: "in the TPM"
        case .token: "in a PKCS #11 token"
        }
    }

    /// The members of an account's record.
    var json: JSONObject {
        switch self {
        case .passphraseFile: ["key_secret": "passphrase"]
        case .credentialFile(let path): Self.object("credential", "key_credential_file", path)
        case .clearFile: ["key_secret": "none"]
        case .secretService: ["key_secret": "secret-service"]
        case .tpm: ["key_secret": "tpm"]
        case .token(let uri): Self.object(Self.tokenName, "key_uri", uri)
        }
    }

    /// Reads what ``json`` wrote; `nil` if it is malformed.
    init?(stored object: JSONObject) {
        switch object["key_secret"]?.stringValue {
        case "passphrase": self = .passphraseFile
        case "credential": self = .credentialFile(path: object["key_credential_file"]?.stringValue)
        case "none": self = .clearFile
        case "secret-service": self = .secretService
        case "tpm": self = .tpm
        case Self.tokenName:
            guard let uri = object["key_uri"]?.stringValue else { return nil }
            self = .token(uri: uri)
        default: return nil
        }
    }

    private static func object(_ secret: String, _ name: String, _ value: String?) -> JSONObject {
        var object: JSONObject = ["key_secret": .string(secret)]
        object[name] = value.map { .string($0) }
        return object
    }
}
