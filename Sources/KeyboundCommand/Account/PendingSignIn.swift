// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthSystem

/// A sign-in that waits for its response, in the process that started it or in a later one.
struct PendingSignIn: Sendable {
    let record: AccountRecord
    let client: OAuth2Client
    let directory: AccountDirectory
    let console: Console
    /// Whether the server may have lost the client, which the command registered: then only a response shows that it has not.
    var mayBeLost = false

    /// Makes the request of a sign-in, and in one process waits for the response.
    ///
    /// It is noted beforehand that there is no response: whoever sees the error page of a server that has lost the client (RFC
    /// 6749 section 4.1.2.1) interrupts the command.
    ///
    /// - Parameter work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    func request<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let registration = CommandRegistration(of: record)
        await registration?.noteUse()
        if mayBeLost { await registration?.noteNoResponse() }
        do {
            return try await work()
        } catch {
            throw await registration?.noting(error) ?? error
        }
    }

    /// Signs in, and stores the account.
    func complete(_ signIn: () async throws -> OAuthSession) async throws -> TokenSet {
        let earlier = try await earlierTokens()
        let session = try await request(signIn)
        // Before the account is stored, so that a stored one never has a client that counts as unused.
        await CommandRegistration(of: record)?.noteSuccess()
        await revoke(earlier)
        do {
            try directory.save(record)
        } catch {
            throw await end(session, because: error)
        }
        noteSignIn()
        return try await session.tokenManager.fetch()
    }

    /// Revokes the refresh token of the previous sign-in, which is no longer needed.
    ///
    /// If the server cannot be reached, it expires. A server may send the same one again: then it belongs to the new session,
    /// which its revocation would end (RFC 7009 section 2.1).
    private func revoke(_ earlier: TokenSet?) async {
        guard let refreshToken = earlier?.refreshToken else { return }
        do {
            let stored = try await directory.tokenStore.tokens(of: record.account)
            guard stored?.refreshToken != refreshToken else { return }
            try await client.revoke(refreshToken)
        } catch {
            // What cannot be compared is not revoked.
        }
    }

    /// Ends a session whose account cannot be stored: nothing would list its tokens, or revoke them (RFC 9700 section 4.14).
    ///
    /// - Returns: The error to report.
    private func end(_ session: OAuthSession, because error: any Error) async -> CommandFailure {
        let failure = CommandFailure(describing: error)
        let reason: String
        switch await session.signOut().atServer {
        case .revoked, .none: return failure
        case .unsupported: reason = "the server has no revocation endpoint"
        case .pending(let error), .failed(let error): reason = CommandFailure(describing: error).message
        }
        let hint = "the new tokens could not be revoked, and stay valid until they expire: \(reason)"
        return CommandFailure(failure.exitCode, failure.message, hints: failure.hints + [hint])
    }

    /// Tidies up after the account is stored: whatever fails here, it is signed in.
    private func noteSignIn() {
        do {
            try directory.setCurrent(record.account)
        } catch {
            let failure = CommandFailure(describing: error)
            console.warn(
                "you are signed in, but commands do not choose this account by themselves; name it with --issuer, "
                    + "--client-id or --account: \(failure.message)"
            )
        }
        do {
            try directory.deletePending(record.account)
        } catch {
            let failure = CommandFailure(describing: error)
            console.warn("you are signed in, but files of the sign-in stay: \(failure.message)")
        }
    }

    /// The tokens of the previous sign-in; `nil` also if they are damaged: then only a new sign-in helps.
    ///
    /// - Throws: An error for tokens of a newer version, and for those that cannot be read at the moment: they may be good.
    private func earlierTokens() async throws -> TokenSet? {
        do {
            return try await directory.tokenStore.tokens(of: record.account)
        } catch let error as OAuthClientError where !error.isOfNewerFormat {
            guard (error.underlying as? FileError)?.number == nil else { throw error }
            return nil
        }
    }

    /// Finishes a sign-in that another process started.
    static func finish(
        _ url: String,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws -> (tokens: TokenSet, record: AccountRecord) {
        let directory = try AccountDirectory()
        let state = try state(of: url)
        guard let account = try await directory.pendingRecord(state: state)?.account else { throw nothingWaits }
        let lock = try await FileLock(directory.signInLockFile(of: account), timeout: .seconds(10))
        defer { withExtendedLifetime(lock) {} }
        // The previous holder of the lock may have used the same response.
        guard let record = try await directory.pendingRecord(state: state) else { throw nothingWaits }
        let accountKey = try AccountKey(opening: record, in: directory, arguments)
        // A wrong passphrase must not consume the response.
        if record.isBound { _ = try await accountKey.load() }
        let client = try await StoredSession.client(record, directory, keyStore: accountKey.store)
        let pending = PendingSignIn(record: record, client: client, directory: directory, console: console)
        do {
            return (try await pending.complete { try await client.resumeSignIn(url) }, record)
        } catch {
            // If the response was not consumed, the user can try again.
            if try await !directory.transactionStore(of: account).holds(state: state) {
                try? await giveUp(account, accountKey, in: directory)
            }
            throw error
        }
    }

    /// Deletes what a failed sign-in left; a signed-in account is kept.
    ///
    /// Only a key that was opened is deleted: no second attempt is made with a PIN that may be wrong.
    static func giveUp(_ account: ClientAccount, _ key: AccountKey?, in directory: AccountDirectory) async throws {
        guard try directory.record(of: account) == nil else { return try directory.deletePending(account) }
        try? await key?.delete()
        try? await AccountKey.deleteFiles(of: account, in: directory)
        if let pending = try? directory.pendingRecord(of: account) {
            await CommandRegistration(of: pending)?.release()
        }
        try directory.delete(account)
    }

    private static func state(of url: String) throws -> String {
        guard let query = (try? URI(parsing: url))?.query,
            let state = try? FormParameters(decoding: query).value(for: "state")
        else {
            throw CommandFailure.usage(
                "this is not the URL at which the browser ended: it has no 'state'",
                hint: "copy the whole address of the page that failed to load"
            )
        }
        return state
    }

    private static var nothingWaits: CommandFailure {
        CommandFailure(
            .failure,
            "no sign-in waits for this response: it expired, or the response was already used",
            hint: "sign in again: keybound login ISSUER --client-id CLIENT_ID"
        )
    }
}
#endif
