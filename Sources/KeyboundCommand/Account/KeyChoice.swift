// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Where a key should be stored, as given with `--key`.
enum KeyChoice: Sendable, Hashable {
    /// In hardware that needs no PIN if there is any, otherwise in a file.
    case auto
    case file
    case secretService
    case tpm
    /// By a PKCS #11 URI (RFC 7512).
    case token(uri: String)

    static let option = Option.value(
        "--key",
        "PLACE",
        "where a new key is stored: auto, tpm, a PKCS #11 URI such as pkcs11:token=NAME?module-path=FILE, "
            + "secret-service or file",
        default: "auto"
    )

    private static let uriScheme = "pkcs11:"
    private static let maximumURICount = 4096

    /// Reads the value of the option.
    init(_ text: String) throws {
        switch text {
        case "auto": self = .auto
        case "file": self = .file
        case "secret-service": self = .secretService
        case "tpm": self = .tpm
        default:
            guard text.hasPrefix(Self.uriScheme), text.utf8.count <= Self.maximumURICount else {
                throw CommandFailure.usage(
                    "\(Self.option.name) is not a location for a key",
                    hint: "give auto, tpm, pkcs11:..., secret-service or file"
                )
            }
            // The account record is not encrypted, and other users can see a command line.
            guard !text.contains(text: "pin-value") else {
                throw CommandFailure.usage(
                    "a PIN does not belong in a URI: other users of this machine can see it",
                    hint: "give it with \(KeyPIN.file.name) or \(KeyPIN.descriptor.name), or type it when prompted"
                )
            }
            self = .token(uri: text)
        }
    }

    /// The value of the option; `nil` when it was not given.
    init?(_ arguments: ParsedArguments) throws {
        guard let text = arguments.value(Self.option) else { return nil }
        try self.init(text)
    }

    /// The location in words.
    var name: String {
        switch self {
        case .auto: "auto"
        case .file: "file"
        case .secretService: "secret-service"
        case .tpm: "tpm"
        case .token(let uri): uri
        }
    }
}
