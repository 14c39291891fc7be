// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthCore
import OAuthSystem

/// The command as a client that registered itself at the authorization server of an MCP server.
///
/// What it got there, also a secret, is in a file of the state directory that only its user may read, for every account at that
/// server. The file names the accounts that need it: the secret of a registration that another one has replaced is deleted with the
/// last of them.
struct CommandRegistration: Sendable {
    private let account: ClientAccount
    private let redirectURI: String
    private let hasSecret: Bool
    private let server: String?

    /// - Returns: `nil` if the command did not register the client of the account.
    init?(of record: AccountRecord) {
        guard let redirectURI = record.registeredRedirectURI else { return nil }
        account = record.account
        self.redirectURI = redirectURI
        hasSecret = !record.isRegisteredWithoutSecret
        server = record.mcpServer
    }

    /// Where registrations are stored.
    static func store() throws -> FileMCPStateStore {
        let directory = try StateDirectory.path() + "/mcp"
        try PrivateDirectory.makeWithParents(at: directory)
        return FileMCPStateStore(directory: directory)
    }

    private func stored() throws -> MCPStoredRegistrations {
        MCPStoredRegistrations(for: redirectURI, in: try Self.store(), clock: SystemWallClock())
    }

    /// - Throws: ``CommandFailure``, if the registration has ended or its file is gone.
    func authentication() async throws -> ClientAuthentication {
        guard hasSecret else { return .none }
        let authentication = try await stored().authentication(of: account.clientID, at: account.issuer)
        guard let authentication, authentication.method != .none else {
            throw CommandFailure(
                .signInNeeded,
                "the registration of this command at \(SafeText.of(account.issuer)) has ended",
                hint: "sign in again: \(loginCommand)"
            )
        }
        return authentication
    }

    /// Notes that the account, or a sign-in for it that waits for its response, needs the registration.
    ///
    /// Another sign-in may register again before the response is there.
    func noteUse() async {
        guard hasSecret else { return }
        try? await stored().noteUse(of: account.clientID, at: account.issuer, by: account.name)
    }

    /// Notes that a sign-in has no response yet: without one, the next sign-in registers again.
    ///
    /// If that cannot be stored, this sign-in can succeed all the same.
    func noteNoResponse() async {
        try? await stored().noteNoResponse(to: account.clientID, at: account.issuer)
    }

    /// Notes what a failed sign-in says of the registration.
    ///
    /// - Parameter error: Why it failed.
    /// - Returns: The error to report.
    func noting(_ error: any Error) async -> any Error {
        if error is CancellationError { return error }
        if let failure = error as? OAuthClientError {
            if failure.isNoResponse { return error }
            if failure.isOfUnknownClient {
                await noteNoResponse()
                let hint = "sign in again, and the command registers anew: \(loginCommand)"
                return CommandFailure(.failure, failure.reason, hints: CommandFailure.said(failure.answer) + [hint])
            }
        }
        // Any other answer comes from a server that knows the client, or there was no request.
        try? await stored().noteResponse(to: account.clientID, at: account.issuer)
        return error
    }

    /// Notes that the account needs the registration.
    func noteSuccess() async {
        try? await stored().noteSuccess(of: account.clientID, at: account.issuer, for: account.name)
    }

    /// Notes that nothing is left of the account, nor of a sign-in for it.
    func release() async {
        try? await stored().release(account.clientID, at: account.issuer, by: account.name)
    }

    private var loginCommand: String { "keybound login --mcp \(SafeText.of(server ?? "URL"))" }
}
#endif
