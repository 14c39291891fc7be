// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Where the key of an account lives, and what opens it; nothing of it is secret.
enum AccountKeyPlace: Sendable, Hashable {
    /// A file that opens with a passphrase, which a person types.
    case passphraseFile
    /// A file that opens with 32 bytes of another one, by its absolute path; `nil` when they came through a descriptor.
    case credentialFile(path: String?)
    /// A file in clear.
    case clearFile
    /// A file that opens with a secret of the desktop's keyring.
    case secretService
    /// The TPM of this machine.
    case tpm
    /// A token, by its PKCS #11 URI (RFC 7512).
    case token(uri: String)

    /// What ``json`` calls the place of a token.
    private static let tokenName = "pkcs11"

    /// What the key is kept in, in the words of `--key`.
    var choice: KeyChoice {
        switch self {
        case .passphraseFile, .credentialFile, .clearFile: .file
        case .secretService: .secretService
        case .tpm: .tpm
        case .token(let uri): .token(uri: uri)
        }
    }

    /// For people: how the key is guarded.
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

    /// The members of an account's record that say this.
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

    /// Reads what ``json`` wrote; `nil` when it is something else.
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
