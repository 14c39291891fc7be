// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthCore
import OAuthSystem

/// The command as a client that registered itself at the authorization server of an MCP server, and got a secret there.
///
/// The secret is in a file of the state directory that only its user may read, for every account at that server.
struct CommandRegistration {
    private let issuer: String
    private let redirectURI: String
    private let server: String?

    /// - Returns: `nil` if the client of the account has no secret.
    init?(of record: AccountRecord) {
        guard let redirectURI = record.registeredRedirectURI else { return nil }
        issuer = record.account.issuer
        self.redirectURI = redirectURI
        server = record.mcpServer
    }

    /// Where registrations are stored.
    static func store() throws -> FileMCPStateStore {
        let directory = try StateDirectory.path() + "/mcp"
        try PrivateDirectory.makeWithParents(at: directory)
        return FileMCPStateStore(directory: directory)
    }

    /// - Throws: ``CommandFailure``, if the registration has ended or its file is gone.
    func authentication() async throws -> ClientAuthentication {
        let stored = MCPStoredRegistrations(for: redirectURI, in: try Self.store(), clock: SystemWallClock())
        let authentication = try await stored.authentication(at: issuer)
        guard authentication.method != .none else {
            throw CommandFailure(
                .signInNeeded,
                "the registration of this command at \(SafeText.of(issuer)) has ended",
                hint: "sign in again: keybound login --mcp \(SafeText.of(server ?? "URL"))"
            )
        }
        return authentication
    }
}
#endif
