// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import SigningKeys

/// `keybound logout`.
enum Logout: Command {
    static let syntax = CommandSyntax(
        "logout",
        "sign out: revoke the tokens, and delete them and the key",
        details: [
            "Signs out locally even if the server or the device with the key cannot be reached; the exit code reports "
                + "that."
        ],
        options: AccountSelection.options + AccountKey.openingOptions,
        examples: [.init("Sign out", "keybound logout")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        let (failure, keyFailure) = try await end(record, directory, arguments)
        console.note("signed out of \(record.account.issuer)")
        if let keyFailure {
            console.warn(
                "the key could not be deleted and stays \(record.keyPlace.description), bound to no tokens: \(keyFailure.message)"
            )
        }
        if let failure {
            throw CommandFailure(
                failure.exitCode,
                "the server could not revoke the tokens: \(failure.message)",
                hint: "the access token stays valid until it expires" + refreshTokenHint(record)
            )
        }
        if let keyFailure { throw CommandFailure(keyFailure.exitCode, "the key could not be deleted") }
    }

    /// What becomes of a refresh token that could not be revoked; a service has none (RFC 6749 section 4.4.3).
    private static func refreshTokenHint(_ record: AccountRecord) -> String {
        guard !record.isService else { return "" }
        return record.bindsRefreshToken
            ? "; the refresh token is useless without the key"
            : "; the refresh token stays valid until it expires or an operator revokes the grant"
    }

    /// Revokes the tokens, and deletes them, the key and the account.
    ///
    /// - Returns: Why the server could not revoke the tokens, and why the key could not be deleted.
    /// - Throws: An error, also if a newer version wrote the tokens: then everything is as it was.
    static func end(
        _ record: AccountRecord,
        _ directory: AccountDirectory,
        _ arguments: ParsedArguments
    ) async throws -> (server: CommandFailure?, key: CommandFailure?) {
        try await requireKnownFormat(record, directory)
        let failure = await revoke(record, directory, arguments)
        try await directory.deleteTokens(of: record.account)
        let keyFailure = await deleteKey(record, directory, arguments)
        try await AccountKey.deleteFiles(of: record.account, in: directory)
        await CommandRegistration(of: record)?.release()
        try directory.delete(record.account)
        return (failure, keyFailure)
    }

    /// Rejects tokens of a newer version: this one cannot revoke them, so they would stay valid when they are deleted.
    private static func requireKnownFormat(_ record: AccountRecord, _ directory: AccountDirectory) async throws {
        do {
            _ = try await directory.tokenStore.tokens(of: record.account)
        } catch let error as OAuthClientError where error.isOfNewerFormat {
            throw error
        } catch {
            // What else is wrong with them keeps nobody from signing out, and is said when they are to be revoked.
        }
    }

    /// Revokes the tokens at the server.
    ///
    /// That needs the key only if the client authenticates with an attestation of it (RFC 7009 section 2.1).
    private static func revoke(
        _ record: AccountRecord,
        _ directory: AccountDirectory,
        _ arguments: ParsedArguments
    ) async -> CommandFailure? {
        do {
            let store: any KeyStore =
                if record.attester == nil {
                    MemoryKeyStore()
                } else {
                    try AccountKey(opening: record, in: directory, arguments).store
                }
            let client = try await StoredSession.client(record, directory, keyStore: store)
            return try await client.restoreSession(checkingKey: false)?.signOut().failure.map {
                CommandFailure(describing: $0)
            }
        } catch {
            return CommandFailure(describing: error)
        }
    }

    private static func deleteKey(
        _ record: AccountRecord,
        _ directory: AccountDirectory,
        _ arguments: ParsedArguments
    ) async -> CommandFailure? {
        do {
            try await AccountKey(deleting: record, in: directory, arguments).delete()
            return nil
        } catch {
            return CommandFailure(describing: error)
        }
    }
}
#endif
