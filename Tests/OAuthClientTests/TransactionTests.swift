// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import PKCE
import TestSupport
import Testing

@Suite("A sign-in that waits for its answer")
struct TransactionTests {
    private func transaction(
        nonce: String? = "n",
        maxAge: Duration? = .zero,
        startedAt: Timestamp? = Timestamp(secondsSince1970: 1),
        requiredACRValues: [String]? = [],
        requiredSubject: String? = "s"
    ) throws -> SignInTransaction {
        SignInTransaction(
            state: "state",
            codeVerifier: try CodeVerifier(String(repeating: "a", count: 43)),
            account: ClientAccount(issuer: "https://auth.example", clientID: "my-app"),
            redirectURI: "com.example.app:/callback",
            scope: .empty,
            keyThumbprint: try TestKey.p256().publicKey.thumbprint,
            expectsIssuer: true,
            expiresAt: Timestamp(secondsSince1970: 600),
            nonce: nonce,
            maxAge: maxAge,
            startedAt: startedAt,
            requiredACRValues: requiredACRValues,
            requiredSubject: requiredSubject
        )
    }

    @Test func `what an id_token is checked against makes two of them differ`() throws {
        let first = try transaction()
        #expect(try first == transaction())
        #expect(try first != transaction(nonce: "m"))
        #expect(try first != transaction(nonce: nil))
        #expect(try first != transaction(maxAge: nil))
        #expect(try first != transaction(startedAt: nil))
        #expect(try first != transaction(requiredACRValues: nil))
        #expect(try first != transaction(requiredACRValues: ["1"]))
        #expect(try first != transaction(requiredSubject: nil))
    }
}
