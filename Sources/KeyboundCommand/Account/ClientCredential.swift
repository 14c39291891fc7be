// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import OAuthCore
import StrictJSON

/// How the client of an account authenticates, if it has a secret or a key of its own (RFC 6749 section 2.3).
///
/// The account remembers the file, not what is in it. Every command reads it again, so a new secret is used at once.
struct ClientCredential: Sendable, Hashable {
    /// The methods, by their registered names.
    enum Method: String, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
    }

    static let secretFile = Option.value(
        "--client-secret-file",
        "FILE",
        "for a client with a secret: the file that has it, on a single line; remembered, and read by each command"
    )
    static let keyFile = Option.value(
        "--client-key-file",
        "FILE",
        "for a client with a key (private_key_jwt): its private key as a JWK; remembered, and read by each command"
    )
    static let serviceOption = Option.flag(
        "--client-credentials",
        "sign in the client itself, without a user, for a service or a job: with its secret or key"
    )
    private static let authMethod = Option.value(
        "--auth-method",
        "METHOD",
        "how the secret is sent: client_secret_basic or client_secret_post",
        default: "client_secret_basic",
        choices: [Method.basic.rawValue, Method.post.rawValue]
    )
    static let options = [serviceOption, secretFile, keyFile, authMethod]

    /// The member of an account's record with the method of authentication.
    static let methodMember = "client_auth_method"
    private static let fileMember = "client_auth_file"

    let method: Method
    /// The absolute path of the file.
    let path: String

    /// Reads the options of `keybound login`; `nil` for a client without a secret or key.
    init?(_ arguments: ParsedArguments) throws {
        try arguments.requireAtMostOne(of: [Self.secretFile, Self.keyFile])
        if let file = arguments.value(Self.secretFile) {
            method = try Self.method(arguments)
            path = try Self.path(file, Self.secretFile)
            return
        }
        guard !arguments.has(Self.authMethod) else {
            throw CommandFailure.usage(
                "\(Self.authMethod.name) needs a client secret",
                hint: "add \(Self.secretFile.name)"
            )
        }
        guard let file = arguments.value(Self.keyFile) else { return nil }
        method = .privateKeyJWT
        path = try Self.path(file, Self.keyFile)
    }

    /// The members of an account's record.
    var json: JSONObject {
        [Self.methodMember: .string(method.rawValue), Self.fileMember: .string(path)]
    }

    /// Reads what ``json`` wrote; `nil` if it is malformed.
    init?(stored object: JSONObject) {
        guard let method = object[Self.methodMember]?.stringValue.flatMap({ Method(rawValue: $0) }),
            let path = object[Self.fileMember]?.stringValue
        else { return nil }
        self.method = method
        self.path = path
    }

    /// The options that give it, for a shell.
    var words: [String] {
        switch method {
        case .basic: [Self.secretFile.name, path]
        case .post: [Self.secretFile.name, path, Self.authMethod.name, method.rawValue]
        case .privateKeyJWT: [Self.keyFile.name, path]
        }
    }

    /// Reads the secret or key.
    func authentication() throws -> ClientAuthentication {
        switch method {
        case .basic: return .clientSecretBasic(try secret())
        case .post: return .clientSecretPost(try secret())
        case .privateKeyJWT:
            let (key, keyID) = try PrivateJWK.clientKey(in: path)
            return .privateKeyJWT(key, keyID: keyID)
        }
    }

    private func secret() throws -> ClientSecret {
        let name = "client secret in \(path)"
        let text = try SecretSource.line(InputFile.secret(path), named: name)
        guard !text.isEmpty else { throw CommandFailure(.failure, "the \(name) is empty") }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CommandFailure(
                .failure,
                "the \(name) has characters that are not allowed in a client secret (RFC 6749 appendix A.2)",
                hint: "write it to the file again, as printable ASCII without line breaks or tabs"
            )
        }
        return ClientSecret(text)
    }

    private static func method(_ arguments: ParsedArguments) throws -> Method {
        guard let text = arguments.value(authMethod) else { return .basic }
        guard let method = Method(rawValue: text), method != .privateKeyJWT else {
            throw CommandFailure.usage(
                "\(authMethod.name) is not a way to send a secret",
                hint: "write \(Method.basic.rawValue) or \(Method.post.rawValue)"
            )
        }
        return method
    }

    /// Rejects input that can be read only once: the next command could not read it again.
    private static func path(_ file: String, _ option: Option) throws -> String {
        guard file != "-", !["/dev/stdin", "/dev/fd/", "/proc/"].contains(where: { file.hasPrefix($0) }) else {
            throw CommandFailure.usage(
                "\(option.name) needs a file that stays: every command of the account reads it again",
                hint: "write it to a file that only you can read (chmod 600)"
            )
        }
        try InputFile.requirePath(file)
        return try AbsolutePath.keepingLinks(file)
    }
}
