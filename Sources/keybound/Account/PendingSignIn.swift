// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient
import OAuthSystem

/// A sign-in that waits for its answer, in the process that began it or in a later one.
struct PendingSignIn: Sendable {
    let record: AccountRecord
    let client: OAuth2Client
    let directory: AccountDirectory

    /// Signs in, and makes the account the one that is signed in.
    func complete(_ signIn: () async throws -> OAuthSession) async throws -> TokenSet {
        let earlier = try await directory.tokenStore.tokens(of: record.account)
        let session = try await signIn()
        // The tokens of the sign-in before are not needed any more; a server that cannot be told lets them expire.
        if let refreshToken = earlier?.refreshToken { try? await client.revoke(refreshToken) }
        try directory.save(record)
        try directory.deletePending(record.account)
        return try await session.tokenManager.fetch()
    }

    /// Finishes a sign-in that another process began.
    static func finish(
        _ url: String,
        _ arguments: ParsedArguments
    ) async throws -> (tokens: TokenSet, record: AccountRecord) {
        let directory = try AccountDirectory()
        let state = try state(of: url)
        guard let account = try await directory.pendingRecord(state: state)?.account else { throw nothingWaits }
        let lock = try await FileLock(directory.signInLockFile(of: account), patience: .seconds(10))
        defer { withExtendedLifetime(lock) {} }
        // Whoever had the lock before may have brought the same answer.
        guard let record = try await directory.pendingRecord(state: state) else { throw nothingWaits }
        let accountKey = try AccountKey(opening: record, in: directory, arguments)
        // A passphrase that is wrong must cost nothing.
        _ = try await accountKey.load()
        let client = try StoredSession.client(record, directory, keyStore: accountKey.store)
        let pending = PendingSignIn(record: record, client: client, directory: directory)
        do {
            return (try await pending.complete { try await client.resumeSignIn(url) }, record)
        } catch {
            // As long as the answer was not used up, it can be tried again.
            if try await !directory.transactionStore(of: account).holds(state: state) {
                try? await giveUp(account, accountKey, in: directory)
            }
            throw error
        }
    }

    /// Deletes what a sign-in that failed leaves behind; an account that is signed in stays.
    ///
    /// The key is deleted as it was opened: one that was not is not tried again, with a PIN that may be wrong.
    static func giveUp(_ account: ClientAccount, _ key: AccountKey?, in directory: AccountDirectory) async throws {
        guard try directory.record(of: account) == nil else { return try directory.deletePending(account) }
        try? await key?.delete()
        try? await AccountKey.deleteFiles(of: account, in: directory)
        try directory.delete(account)
    }

    private static func state(of url: String) throws -> String {
        guard let query = (try? URI(parsing: url))?.query,
            let state = try? FormParameters(decoding: query).value(for: "state")
        else {
            throw CommandFailure.usage(
                "this is not the URL that a browser ends at: it has no 'state'",
                hint: "copy the whole address of the page that could not be loaded"
            )
        }
        return state
    }

    private static var nothingWaits: CommandFailure {
        CommandFailure(
            .failure,
            "no sign-in waits for this answer: it is too late, or was used already",
            hint: "sign in again: keybound login ISSUER --client-id CLIENT_ID"
        )
    }
}
#endif
