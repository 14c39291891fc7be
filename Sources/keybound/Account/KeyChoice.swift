// SPDX-License-Identifier: Apache-2.0

/// Where a key is to live, as `--key` says.
enum KeyChoice: Sendable, Hashable {
    /// In hardware where there is some that needs no PIN, and else in a file.
    case auto
    case file
    case secretService
    case tpm
    /// By a PKCS #11 URI (RFC 7512).
    case token(uri: String)

    static let option = Option.value(
        "--key",
        "PLACE",
        "where a new key lives: auto, tpm, a PKCS #11 URI such as pkcs11:token=NAME?module-path=FILE, secret-service or file; "
            + "auto unless given"
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
                    "\(Self.option.name) is not a place for a key",
                    hint: "give auto, tpm, pkcs11:..., secret-service or file"
                )
            }
            // The record of the account is kept in clear, and a command line is seen by other users.
            guard !text.contains("pin-value") else {
                throw CommandFailure.usage(
                    "a PIN does not belong into a URI: other users of this machine can see it",
                    hint: "give it with \(KeyPIN.file.name) or \(KeyPIN.descriptor.name), or type it when asked"
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

    /// The place in words.
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
