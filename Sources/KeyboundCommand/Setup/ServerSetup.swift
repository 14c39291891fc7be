// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import OAuthSystem
import PostgreSQLStorage
import StrictJSON

/// What `keybound init` is to make, and what is there already.
struct ServerSetup: Sendable {
    /// Where the credential is that encrypts the signing keys.
    enum Credential: Sendable, Equatable {
        case file(String)
        /// In systemd's store, encrypted for this machine, and a copy for another one.
        case systemd(name: String, copy: String)
        /// Where an existing configuration has it.
        case elsewhere
    }

    /// The configuration file.
    let path: String
    /// The settings of the file that is there, or of the one that is to be written.
    let settings: ServerSettings
    /// The content of a new file; `nil` if there is one already, which stays as it is.
    let document: JSONValue?
    let credential: Credential
    /// Who gets the files that the server reads; `nil` for this user.
    let owner: SystemUser?

    /// The settings that a configuration can be begun with.
    static let offered: [Setting] = [
        .issuer, .insecureLoopbackIssuer, .listen, .metricsListen, .serverName, .audience, .scopes, .trustedProxies,
        .dataDirectory, .database, .keyCredential, .keyCredentialFile,
    ]

    private static let standards: [(Setting, [String])] = [
        (.listen, ["127.0.0.1:8080"]), (.metricsListen, ["127.0.0.1:9090"]), (.dataDirectory, ["/var/lib/keybound"]),
        (.scopes, ["openid=know who you are"]),
    ]

    /// Reads the configuration that is there, or plans a new one.
    ///
    /// - Parameters:
    ///   - arguments: The options.
    ///   - path: The configuration file.
    ///   - owner: The user that the server runs as; `nil` for this user.
    ///   - issuer: Asks for the issuer, if no option names it, until one passes the check.
    /// - Throws: ``CommandFailure``, also if there is a configuration that says otherwise than an option.
    init(
        _ arguments: ParsedArguments,
        path: String,
        owner: SystemUser?,
        issuer: (_ check: (String) throws -> Void) async throws -> String
    ) async throws {
        self.path = try AbsolutePath.keepingLinks(path)
        self.owner = owner
        if InputFile.exists(at: path) {
            var named = ParsedArguments(Serve.syntax)
            // From the root on, so that the paths in it are as well.
            named.add(ServerSettings.configuration, self.path)
            settings = try ServerSettings(named, optionsFor: [])
            try Self.requireAgreement(arguments, settings, path)
            document = nil
            credential = try Self.credential(of: settings, beside: self.path)
            return
        }
        var values = try Self.values(arguments)
        if values[.issuer] == nil {
            let allowsLoopback = values[.insecureLoopbackIssuer] != nil
            values[.issuer] = [try await issuer { try Self.check(issuer: $0, allowingLoopback: allowsLoopback) }]
        }
        // Without TLS nothing stands between clients and the server: it listens where they look for it.
        if values[.listen] == nil, let address = (values[.issuer]?.last).flatMap(Self.loopbackAddress) {
            values[.listen] = [address]
        }
        for (setting, standard) in Self.standards where values[setting] == nil { values[setting] = standard }
        if values[.keyCredential] == nil, values[.keyCredentialFile] == nil {
            if SystemdCredential.isInUse {
                values[.keyCredential] = [SystemdCredential.standardName]
            } else {
                values[.keyCredentialFile] = [DoctorPaths.parent(of: self.path) + "/" + SystemdCredential.standardName]
            }
        }
        settings = try Self.settings(values)
        document = Self.document(values)
        credential = try Self.credential(of: settings, beside: self.path)
    }

    /// Rejects an issuer with which no server would start, whatever else is set.
    private static func check(issuer text: String, allowingLoopback: Bool) throws {
        guard let issuer = try? URI(parsing: text) else {
            throw CommandFailure.usage("the issuer is not an absolute URL", hint: "such as https://auth.example.com")
        }
        var configuration = ServerConfiguration(issuer: issuer, audience: text, scopes: [])
        configuration.allowsInsecureLoopbackIssuer = allowingLoopback
        do {
            try configuration.validate()
        } catch {
            let hint = "for an http address of this machine run it with \(Setting.insecureLoopbackIssuer.option.name)"
            throw CommandFailure.usage(error.reason, hint: issuer.scheme == "http" ? hint : nil)
        }
    }

    /// Host and port of an http issuer on a loopback address.
    private static func loopbackAddress(_ issuer: String) -> String? {
        guard let uri = try? URI(parsing: issuer), uri.scheme == "http", uri.isLoopbackIPLiteral, let host = uri.host,
            let port = uri.port
        else { return nil }
        return "\(host):\(port)"
    }

    /// What the options say; paths from the root on, since a server may be started anywhere.
    private static func values(_ arguments: ParsedArguments) throws -> [Setting: [String]] {
        var values: [Setting: [String]] = [:]
        for setting in offered where arguments.has(setting.option) {
            values[setting] = setting.kind == .flag ? ["true"] : arguments.values(setting.option)
        }
        for setting in [Setting.dataDirectory, .database, .keyCredentialFile] {
            values[setting] = try values[setting]?.map { text in
                PostgreSQLAddress.isAddress(text) ? text : try AbsolutePath.keepingLinks(text)
            }
        }
        return values
    }

    private static func settings(_ values: [Setting: [String]]) throws -> ServerSettings {
        var arguments = ParsedArguments(Serve.syntax)
        for (setting, texts) in values {
            for text in texts { arguments.add(setting.option, text) }
        }
        return try ServerSettings(arguments, optionsFor: offered)
    }

    private static func requireAgreement(
        _ arguments: ParsedArguments,
        _ settings: ServerSettings,
        _ path: String
    ) throws {
        for (setting, asked) in try values(arguments) where settings.values(setting) != asked {
            throw CommandFailure(
                .failure,
                "\(path) is there already and says otherwise than \(setting.option.name): nothing was changed",
                hint: "edit '\(setting.key)' in the file, or name another file with --config"
            )
        }
    }

    private static func credential(of settings: ServerSettings, beside path: String) throws -> Credential {
        _ = try KeyProtectionSettings.check(settings)
        if let file = settings.text(.keyCredentialFile) { return .file(file) }
        guard let name = settings.text(.keyCredential) else { return .elsewhere }
        return .systemd(name: name, copy: DoctorPaths.parent(of: path) + "/\(name).copy")
    }

    private static func document(_ values: [Setting: [String]]) -> JSONValue {
        var object = JSONObject()
        for setting in offered {
            guard let texts = values[setting], let text = texts.last else { continue }
            object[setting.key] =
                switch setting.kind {
                case .flag: .bool(true)
                case .scopes: .object(scopes(texts))
                case .list: .array(texts.map { .string($0) })
                default: .string(text)
                }
        }
        return .object(object)
    }

    private static func scopes(_ texts: [String]) -> JSONObject {
        var object = JSONObject()
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            object[parts[0]] = parts.count > 1 ? .string(parts[1]) : .null
        }
        return object
    }
}
#endif
