// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient

/// The accounts that the command had for an MCP server before it registered again, as another client.
///
/// Their tokens would stay valid (RFC 9700 section 4.14), and a request for the server could be sent with them.
enum ReplacedAccounts {
    /// Signs out of the accounts that a sign-in has replaced.
    static func end(by record: AccountRecord, _ arguments: ParsedArguments, _ console: Console) async {
        guard record.registeredRedirectURI != nil, let server = record.mcpServer else { return }
        do {
            let directory = try AccountDirectory()
            for other in try directory.records()
            where other.mcpServer == server && other.registeredRedirectURI != nil && isAnother(other, than: record) {
                let failures = try await Logout.end(other, directory, arguments)
                if let failure = failures.server {
                    console.note("the tokens of the earlier sign-in could not be revoked: \(failure.message)")
                }
                if let failure = failures.key {
                    console.warn("the key of the earlier sign-in could not be deleted: \(failure.message)")
                }
            }
        } catch {
            console.warn("the earlier sign-in could not be ended: \(CommandFailure(describing: error).message)")
        }
    }

    /// Whether the account has the same name, which the user may have chosen, and another client.
    private static func isAnother(_ other: AccountRecord, than record: AccountRecord) -> Bool {
        other.account.name == record.account.name && other.account != record.account
    }
}
#endif
