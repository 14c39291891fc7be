// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport

/// The command as a client that registered itself at the authorization server of an MCP server, and got a secret there.
///
/// The secret is in a file of the state directory that only its user may read, for every account at that server.
struct CommandRegistration {
    private let issuer: String
    private let redirectURI: String
    private let allowsInsecureLoopback: Bool

    /// - Returns: `nil` if the client of the account has no secret.
    init?(of record: AccountRecord) {
        guard let redirectURI = record.registeredRedirectURI else { return nil }
        issuer = record.account.issuer
        self.redirectURI = redirectURI
        allowsInsecureLoopback = record.allowsInsecureLoopback
    }

    /// Where registrations are stored.
    static func store() throws -> FileMCPStateStore {
        let directory = try StateDirectory.path() + "/mcp"
        try PrivateDirectory.makeWithParents(at: directory)
        return FileMCPStateStore(directory: directory)
    }

    /// - Throws: ``CommandFailure``, if the registration has ended or its file is gone.
    func authentication() async throws -> ClientAuthentication {
        let registrations = MCPRegistrations(
            identity: MCPClientIdentity(name: "keybound", redirectURI: redirectURI),
            store: try Self.store(),
            transport: PlatformTransport(),
            policy: URLPolicy(allowsInsecureHTTPOnLoopback: allowsInsecureLoopback),
            clock: SystemWallClock()
        )
        let authentication = try await registrations.authentication(at: issuer)
        guard authentication.method != .none else {
            throw CommandFailure(
                .signInNeeded,
                "the registration of this command at \(SafeText.of(issuer)) has ended",
                hint: "sign in again: keybound login --mcp URL"
            )
        }
        return authentication
    }
}
#endif
