// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthTransport
import SigningKeys

/// A signed-in account, opened with its key.
struct StoredSession {
    let record: AccountRecord
    let session: OAuthSession

    /// Opens the account that the arguments choose, with its key.
    ///
    /// - Parameter arguments: The arguments.
    /// - Throws: ``CommandFailure``, if there is no such account or its key cannot be opened.
    init(_ arguments: ParsedArguments) async throws {
        let directory = try AccountDirectory()
        try await self.init(opening: AccountSelection.record(arguments, in: directory), in: directory, arguments)
    }

    /// Opens an account with its key.
    ///
    /// - Parameters:
    ///   - record: The account.
    ///   - directory: Where it is.
    ///   - arguments: The arguments, for its key.
    /// - Throws: ``CommandFailure``, if its key cannot be opened.
    init(opening record: AccountRecord, in directory: AccountDirectory, _ arguments: ParsedArguments) async throws {
        self.record = record
        let store = try AccountKey(opening: record, in: directory, arguments).store
        let client = try await Self.client(record, directory, keyStore: store)
        // In both cases the first call opens the key, and says what is wrong with it.
        if let scopes = record.serviceScopes {
            session = try await client.storedServiceSession(
                scopes: scopes,
                resources: record.resource.map { [$0] } ?? [],
                checkingKey: false
            )
            return
        }
        guard let session = try await client.restoreSession(checkingKey: false) else {
            throw CommandFailure(
                .signInNeeded,
                "the session has ended",
                hint: "sign in again: \(record.loginCommand())"
            )
        }
        self.session = session
        // An older version has not noted it.
        await CommandRegistration(of: record)?.noteUse()
    }

    /// Does work with the session.
    ///
    /// - Parameter work: The work.
    /// - Returns: What the work returns.
    /// - Throws: ``CommandFailure``; if the user has to sign in again, it names the command for this account.
    func use<Value: Sendable>(_ work: (OAuthSession) async throws -> Value) async throws -> Value {
        do {
            return try await work(session)
        } catch {
            throw CommandFailure(describing: error, of: record)
        }
    }

    static func client(
        _ record: AccountRecord,
        _ directory: AccountDirectory,
        keyStore: any KeyStore
    ) async throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration()
        configuration.account = record.account.name
        configuration.allowsInsecureHTTPOnLoopback = record.allowsInsecureLoopback
        if let attester = record.attester {
            configuration.clientAuthentication = .attested(
                by: try HTTPClientAttester(
                    address: attester,
                    evidence: evidence(of: keyStore),
                    transport: PlatformTransport(),
                    allowsInsecureHTTPOnLoopback: record.allowsInsecureLoopback
                )
            )
        } else if let credential = record.credential {
            configuration.clientAuthentication = try credential.authentication()
        } else if let registration = CommandRegistration(of: record) {
            configuration.clientAuthentication = try await registration.authentication()
        }
        if !record.isBound { configuration.tokenBoundConfiguration = UnboundedTokenConfiguration() }
        return try OAuth2Client(
            issuer: record.account.issuer,
            clientID: record.account.clientID,
            redirectURI: record.redirectURI,
            configuration: configuration,
            keyStore: keyStore,
            tokenStore: directory.tokenStore,
            transactionStore: directory.transactionStore(of: record.account)
        )
    }

    /// What an attester is shown about a key of a store.
    private static func evidence(of store: any KeyStore) -> any AttestationEvidence {
        switch store {
        case let tpm as TPMKeyStore: TPMEvidence(tpm)
        case let token as PKCS11KeyStore: PKCS11Evidence(token)
        default: NoEvidence()
        }
    }
}
#endif
