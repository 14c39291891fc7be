// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient

/// Keeps the tokens of each account in a file that only its user may read.
///
/// They are bound to a key: a copy of the file alone is of no use. Processes that refresh at the same time wait for one
/// another.
struct FileTokenStore: TokenStore {
    private let directory: AccountDirectory

    init(_ directory: AccountDirectory) {
        self.directory = directory
    }

    func tokens(of account: ClientAccount) async throws -> TokenSet? {
        let path = directory.tokenFile(of: account)
        return try await BlockingWork.run {
            guard PrivateDirectory.exists(path) else { return nil }
            guard let object = try? JSONValue(parsing: InputFile.read(path)).objectValue else {
                throw CommandFailure(.failure, "\(path) cannot be read", hint: "sign in again")
            }
            return try TokenSet(parsing: object)
        }
    }

    func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        let path = directory.tokenFile(of: account)
        try await BlockingWork.run {
            try PrivateDirectory.write(JSONValue.object(tokens.json).encoded() + [0x0A], to: path)
        }
    }

    func deleteTokens(of account: ClientAccount) async throws {
        let path = directory.tokenFile(of: account)
        try await BlockingWork.run { try PrivateDirectory.delete(path) }
    }

    func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let lock = try await LockFile(directory.lockFile(of: account), patience: .seconds(60))
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }
}
