// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthSystem
import SigningKeys
import TestSupport
import Testing

@testable import OAuthClient

/// A user who closes the browser once it shows the page.
private struct ClosingUser: UserAgent {
    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        _ = try await makeRequest(redirectURI)
        throw OAuthClientError(.cancelled, "the browser was closed")
    }
}

@Suite("Accounts: no key outlives its account", .timeLimit(.minutes(1)))
struct AccountKeyTests {
    private let fixture: AccountFixture

    init() async throws {
        fixture = try await AccountFixture()
    }

    @Test func `a user who closes the browser leaves no key`() async throws {
        let manager = try fixture.manager()
        let error = await clientError {
            _ = try await manager.signIn(scopes: ["openid"], using: ClosingUser())
        }
        #expect(error?.code == .cancelled)
        #expect(try await fixture.keyStore.aliases().isEmpty)
        let list = try await fixture.accountStore.list()
        #expect(list.accounts.isEmpty && list.ended.isEmpty)
    }

    @Test func `a sign-in that was never finished leaves no key after a day`() async throws {
        let begun = fixture.clock.now()
        let base = fixture.provider.base
        _ = try await fixture.accountStore.update { list in
            var account = AccountSummary(id: "begun", issuer: base, signedInAt: begun)
            account.isPending = true
            list["begun"] = account
        }
        let alias = try KeyAlias("dpop-" + fixture.account("begun").identifier)
        _ = try await fixture.keyStore.loadOrGenerate(alias: alias)
        let manager = try fixture.manager()
        #expect(try await manager.accounts().isEmpty)
        // The browser may still show the page.
        #expect(try await fixture.keyStore.aliases() == [alias])
        fixture.clock.advance(by: .seconds(86_401))
        #expect(try await manager.accounts().isEmpty)
        #expect(try await fixture.keyStore.aliases().isEmpty)
        let list = try await fixture.accountStore.list()
        #expect(list.accounts.isEmpty && list.ended.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a sign-out after the session has ended deletes the key`(deletingAccount: Bool) async throws {
        let manager = try fixture.manager()
        let session = try await fixture.signIn(manager, "alice")
        let id = try #require(try await manager.current()).id
        await fixture.provider.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        #expect(await clientError { _ = try await session.refresh() }?.code == .sessionEnded)
        #expect(try await fixture.keyStore.aliases().count == 1)
        let result = try await manager.signOut(id, deletingAccount: deletingAccount)
        #expect(!result.wasSignedIn && result.failure == nil)
        guard case .deleted = result.key else {
            Issue.record("the result does not say that the key is deleted")
            return
        }
        #expect(try await fixture.keyStore.aliases().isEmpty)
        #expect(try await fixture.accountStore.list().ended.isEmpty)
    }
}
#endif
