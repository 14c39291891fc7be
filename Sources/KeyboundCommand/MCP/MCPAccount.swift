// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport

/// The account that is signed in for an MCP server; looked for when it is needed, so that a sign-in helps at once.
actor MCPAccount: MCPConnection {
    private let server: MCPServerURL
    private let arguments: ParsedArguments
    private var stored: StoredSession?
    /// The session of the last request: of several that the server refuses at once, the first one forgets ``stored``.
    private var lastUsed: StoredSession?
    /// The scopes of the account when it was opened: a session that has ended does not know them any more.
    private var scopesWhenOpened: [String] = []
    /// The opening of the account that runs, for all requests that wait for it.
    private var opening: Task<StoredSession, any Error>?

    init(of server: MCPServerURL, _ arguments: ParsedArguments) {
        self.server = server
        self.arguments = arguments
    }

    /// Whether somebody is signed in, and the session has not ended.
    ///
    /// Opens the key for the requests that follow, which may ask for its passphrase or PIN.
    func isSignedIn() async throws -> Bool {
        do {
            // A token asks for its PIN only when its key is used.
            _ = try await session().session.authorization(method: "POST", url: server.text)
            return true
        } catch {
            let failure = CommandFailure(describing: error)
            stored = nil
            guard failure.exitCode == .signInNeeded else { throw failure }
            return false
        }
    }

    /// Waits until no refresh is running, also on the session that the last rejection closed.
    func waitForRefresh() async {
        await (stored ?? lastUsed)?.session.tokenManager.waitForRefresh()
    }

    func open(_ request: HTTPRequest, timeout: Duration?) async throws -> StreamedResponse {
        let used = try await session()
        lastUsed = used
        do throws(OAuthClientError) {
            return try await used.session.bytes(for: request, timeout: timeout)
        } catch {
            throw await failure(error, used)
        }
    }

    func explanation(of response: HTTPResponse) async -> String? {
        guard response.status == 401 || response.status == 403, let used = stored ?? lastUsed else { return nil }
        let note = StepUpNote(response)
        guard note != nil || response.status == 401 else { return nil }
        let granted = await granted(to: used)
        // Whoever signs in again has new tokens, which are read for the next request.
        forget(used)
        if let note { return note.text(used.record, granted: granted) }
        let missing = Self.scopes(namedBy: response).filter { !granted.contains($0) }
        return "the MCP server does not accept the token; sign in again: "
            + used.record.loginCommand(scopes: granted + missing)
    }

    private func failure(_ error: OAuthClientError, _ used: StoredSession) async -> CommandFailure {
        switch error.code {
        case .sessionEnded, .keyMissing, .keyMismatch:
            let command = used.record.loginCommand(scopes: await granted(to: used))
            forget(used)
            return CommandFailure(.signInNeeded, "the session has ended; run: \(command)")
        case .stepUpRequired:
            let granted = await granted(to: used)
            forget(used)
            return CommandFailure(
                .signInNeeded,
                error.reason + "; " + Self.advice(used.record, granted: granted, meeting: error.stepUp)
            )
        default: return CommandFailure(describing: error, of: used.record)
        }
    }

    /// What a user must do.
    ///
    /// - Parameters:
    ///   - record: The account.
    ///   - granted: The scopes that its session has.
    ///   - challenge: What the server demands; `nil` if it demands nothing.
    /// - Returns: One sentence.
    static func advice(_ record: AccountRecord, granted: [String], meeting challenge: StepUpChallenge?) -> String {
        record.signInAdvice(keeping: granted, meeting: challenge) { "run: " + $0 }
    }

    private func granted(to used: StoredSession) async -> [String] {
        (try? await used.session.tokenManager.fetch().scope.tokens) ?? scopesWhenOpened
    }

    /// The scopes that a rejection demands (RFC 6750 section 3; MCP 2025-11-25, Scope Selection Strategy).
    private static func scopes(namedBy response: HTTPResponse) -> [String] {
        let challenges = (try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))) ?? []
        let text = challenges.lazy.filter { $0.hasScheme("DPoP") || $0.hasScheme("Bearer") }
            .compactMap { $0.value(for: "scope") }.first
        return text.flatMap { try? Scope(parsing: $0) }?.tokens ?? []
    }

    private func forget(_ used: StoredSession) {
        if stored?.session === used.session { stored = nil }
    }

    private func session() async throws -> StoredSession {
        if let stored { return stored }
        if let opening { return try await opening.value }
        let task = Task { [server, arguments] in try await Self.open(server, arguments) }
        opening = task
        defer { opening = nil }
        let opened = try await task.value
        let tokens = try? await AccountDirectory().tokenStore.tokens(of: opened.record.account)
        scopesWhenOpened = tokens?.scope.tokens ?? []
        stored = opened
        return opened
    }

    private static func open(_ server: MCPServerURL, _ arguments: ParsedArguments) async throws -> StoredSession {
        let directory = try AccountDirectory()
        guard let record = try record(for: server, arguments, in: directory) else {
            throw CommandFailure(.signInNeeded, "nobody is signed in for this MCP server; run: \(loginCommand(server))")
        }
        // Before the key is opened.
        try OriginPermission.require(server.text, record, in: directory, arguments)
        return try await StoredSession(opening: record, in: directory, arguments)
    }

    /// The account for a server: the one that the options choose, else one that signed in for it; never just any.
    private static func record(
        for server: MCPServerURL,
        _ arguments: ParsedArguments,
        in directory: AccountDirectory
    ) throws -> AccountRecord? {
        if AccountSelection.options.contains(where: arguments.has) {
            return try AccountSelection.record(arguments, in: directory)
        }
        let own = try directory.records().filter { $0.mcpServer?.isIdentical(to: server.text) ?? false }
        guard !own.isEmpty else { return try AccountSelection.named(server.text, in: directory) }
        return try AccountSelection.one(of: own, "several accounts are signed in for this MCP server", in: directory)
    }

    private static func loginCommand(_ server: MCPServerURL) -> String {
        let option = server.uri.scheme.lowercased() == "http" ? " \(Option.insecureLoopback.name)" : ""
        return "keybound login --mcp \(AccountRecord.quoted(server.text))\(option)"
    }
}
#endif
