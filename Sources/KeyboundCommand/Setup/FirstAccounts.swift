// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage

/// The first user and the first app of a server.
struct FirstAccounts: Sendable {
    static let user = Option.value(
        "--user",
        "NAME",
        "the first user; prompts for the password unless an option gives it"
    )
    static let client = Option.value("--client", "CLIENT_ID", "the client_id of the first app")
    static let redirectURI = Option.list(
        "--redirect-uri",
        "URI",
        "a redirect URI of that app",
        default: "http://127.0.0.1/callback, as keybound login has it"
    )
    static let options = [user] + NewPassword.options + [client, redirectURI]

    private let credentials: (name: String, password: String)?
    private let app: RegisteredClient?

    /// Reads what the options say, and asks for the rest if the server is new.
    ///
    /// - Throws: ``CommandFailure``, and what ``/AuthorizationServer/ServerAdministration`` throws for a user or an app that
    ///   it would not accept: they are added to a database in memory first.
    init(_ arguments: ParsedArguments, _ setup: ServerSetup, _ questions: SetupQuestions) async throws {
        credentials = try await Self.credentials(arguments, setup, questions)
        app = try await Self.app(arguments, setup, questions)
    }

    /// A database in memory, to find out what a server would not accept.
    private static func trial() -> ServerAdministration {
        ServerAdministration(storage: MemoryAuthorizationStorage(), audit: nil, operatorName: "nobody")
    }

    private static func credentials(
        _ arguments: ParsedArguments,
        _ setup: ServerSetup,
        _ questions: SetupQuestions
    ) async throws -> (name: String, password: String)? {
        guard let name = try await username(arguments, setup, questions) else { return nil }
        // What an option names would be the same again.
        guard !NewPassword.isGiven(arguments) else { return (name, try await password(arguments, of: name)) }
        return (name, try await questions.repeating { try await password(arguments, of: name) })
    }

    private static func username(
        _ arguments: ParsedArguments,
        _ setup: ServerSetup,
        _ questions: SetupQuestions
    ) async throws -> String? {
        if let name = arguments.value(user) {
            // Before the password: typing it again and again would not mend the name.
            return try await checked(username: name)
        }
        guard setup.document != nil else { return nil }
        return try await questions.ask("Name of the first user (nothing for none)") { try await checked(username: $0) }
    }

    private static func checked(username name: String) async throws -> String {
        // With a password that is accepted, only the name can be wrong.
        _ = try await trial().addUser(username: name, password: "correct horse battery staple")
        return name
    }

    private static func password(_ arguments: ParsedArguments, of name: String) async throws -> String {
        let password = try NewPassword.read(arguments, of: name)
        _ = try await trial().addUser(username: name, password: password)
        return password
    }

    private static func app(
        _ arguments: ParsedArguments,
        _ setup: ServerSetup,
        _ questions: SetupQuestions
    ) async throws -> RegisteredClient? {
        if let clientID = arguments.value(client) { return try await checked(clientID, arguments, setup.settings) }
        guard setup.document != nil else { return nil }
        return try await questions.ask("client_id of the first app, such as notes-cli (nothing for none)") { clientID in
            try await checked(clientID, arguments, setup.settings)
        }
    }

    private static func checked(
        _ clientID: String,
        _ arguments: ParsedArguments,
        _ settings: ServerSettings
    ) async throws -> RegisteredClient {
        let client = try app(named: clientID, arguments, settings)
        try await trial().addClient(client)
        return client
    }

    /// The client_id of the app.
    var clientID: String? { app?.clientID }

    private static func app(
        named clientID: String,
        _ arguments: ParsedArguments,
        _ settings: ServerSettings
    ) throws -> RegisteredClient {
        var described = ParsedArguments(AddClient.syntax)
        described.add(AddClient.identifier, clientID)
        let given = arguments.values(redirectURI)
        for uri in given.isEmpty ? ["http://127.0.0.1/callback"] : given {
            described.add(ClientMetadataOptions.redirectURI, uri)
        }
        return try AddClient.client(described, settings)
    }

    /// Adds both to the database of the server; what is there already stays as it is.
    func add(to settings: ServerSettings, _ console: Console) async throws {
        if let (name, password) = credentials {
            try await adding("the user \(SafeText.of(name))", console) {
                _ = try await AddUser.add(name, password, settings, console)
            }
        }
        if let app {
            try await adding("the app \(SafeText.of(app.clientID))", console) {
                _ = try await AddClient.register(app, settings, console)
            }
        }
    }

    private func adding(_ what: String, _ console: Console, _ add: () async throws -> Void) async throws {
        do {
            try await add()
            console.note("added       \(what)")
        } catch let error as AuthorizationServerError where error.code == .alreadyExists {
            console.note("there is    \(what): it stays as it is")
        }
    }
}
#endif
