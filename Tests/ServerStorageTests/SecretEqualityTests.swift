// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import OAuthCore
import PKCE
import ServerStorage
import Testing

@Suite("Secrets are equal when every byte is")
struct SecretEqualityTests {
    // Equal as text (canonical equivalence), different as bytes.
    private let composed = "\u{e9}"
    private let decomposed = "e\u{301}"

    @Test func `tokens, codes and hashes are compared by their bytes, not as text`() {
        #expect(composed == decomposed)
        #expect(AccessToken(composed) != AccessToken(decomposed))
        #expect(RefreshToken(composed) != RefreshToken(decomposed))
        #expect(AuthorizationCode(composed) != AuthorizationCode(decomposed))
        #expect(PasswordHash(stored: composed) != PasswordHash(stored: decomposed))
    }

    @Test func `the same secret is equal, and has the same hash value`() {
        #expect(Set([AccessToken("a"), AccessToken("a"), AccessToken("b")]).count == 2)
        #expect(Set([RefreshToken("a"), RefreshToken("a"), RefreshToken("b")]).count == 2)
        #expect(Set([AuthorizationCode("a"), AuthorizationCode("a"), AuthorizationCode("b")]).count == 2)
        #expect(Set([SecretHash(of: "a"), SecretHash(of: "a"), SecretHash(of: "b")]).count == 2)
        let secret = [UInt8](repeating: 1, count: 32)
        #expect(DPoPNonceSecret(number: 1, bytes: secret) == DPoPNonceSecret(number: 1, bytes: secret))
        #expect(DPoPNonceSecret(number: 1, bytes: secret) != DPoPNonceSecret(number: 2, bytes: secret))
        #expect(DPoPNonceSecret(number: 1, bytes: secret) != DPoPNonceSecret(number: 1, bytes: secret.dropLast() + [2]))
    }

    @Test func `verifiers and challenges differ in any character`() throws {
        let text = String(repeating: "a", count: 43)
        let (first, last) = (try CodeVerifier("b" + text.dropFirst()), try CodeVerifier(text.dropLast() + "b"))
        let verifier = try CodeVerifier(text)
        #expect(verifier == (try CodeVerifier(text)))
        #expect(verifier != first)
        #expect(verifier != last)
        #expect(verifier.s256Challenge == (try CodeVerifier(text)).s256Challenge)
        #expect(verifier.s256Challenge != last.s256Challenge)
    }
}
