// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem

/// The accounts that the command had for an MCP server before it registered again, as another client.
///
/// Their tokens would stay valid (RFC 9700 section 4.14), and a request for the server could be sent with them.
enum ReplacedAccounts {
    /// Signs out of the accounts that a sign-in has replaced, and deletes what sign-ins without a response have left.
    static func end(by record: AccountRecord, _ arguments: ParsedArguments, _ console: Console) async {
        guard record.registeredRedirectURI != nil, record.mcpServer != nil else { return }
        do {
            let directory = try AccountDirectory()
            for other in try directory.records() where isReplaced(other, by: record) {
                let failures = try await Logout.end(other, directory, arguments)
                if let failure = failures.server {
                    console.note("the tokens of the earlier sign-in could not be revoked: \(failure.message)")
                }
                if let failure = failures.key {
                    console.warn("the key of the earlier sign-in could not be deleted: \(failure.message)")
                }
            }
            for other in try directory.pendingRecords() where isReplaced(other, by: record) {
                await giveUp(other.account, in: directory)
            }
        } catch {
            console.warn("the earlier sign-in could not be ended: \(CommandFailure(describing: error).message)")
        }
    }

    /// Gives up a sign-in that got no response, unless its process still waits.
    private static func giveUp(_ account: ClientAccount, in directory: AccountDirectory) async {
        guard let lock = try? await FileLock(directory.signInLockFile(of: account), timeout: .zero) else { return }
        defer { withExtendedLifetime(lock) {} }
        try? await PendingSignIn.giveUp(account, nil, in: directory)
    }

    /// Whether an account is for the same MCP server, has the same name, which the user may have chosen, and is of another
    /// client that the command registered.
    private static func isReplaced(_ other: AccountRecord, by record: AccountRecord) -> Bool {
        other.registeredRedirectURI != nil && other.mcpServer == record.mcpServer
            && other.account.name == record.account.name && other.account != record.account
    }
}
#endif
