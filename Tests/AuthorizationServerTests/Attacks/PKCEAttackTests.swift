// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCrypto
import PKCE
import ServerStage
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on PKCE, RFC 7636", .overSocketsOnEveryStore)
struct PKCEAttackTests {
    /// Pushes a request and sends the same one through the browser: the server rejects both.
    private func expectRefusal(
        _ change: (FormParameters) -> FormParameters,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        attempt.parameters = change(attempt.parameters)
        expect(try await client.push(attempt), isError: "invalid_request", sourceLocation: sourceLocation)

        let answer = try await server.signedInBrowser().get(client.directTarget(attempt))
        #expect(answer.status == 303, sourceLocation: sourceLocation)
        #expect(answer.fields["Location"]?.hasPrefix(client.redirectURI) == true, sourceLocation: sourceLocation)
        #expect(try answer.callback()["error"] == "invalid_request", sourceLocation: sourceLocation)
        #expect(try answer.callback()["code"] == nil, sourceLocation: sourceLocation)
    }

    @Test func `attack 1, pkce_missing_public_client`() async throws {
        try await expectRefusal { $0.with("code_challenge", nil).with("code_challenge_method", nil) }
        try await expectRefusal { $0.with("code_challenge", "") }
    }

    @Test(arguments: ["plain", "s256", "S512", "none"])
    func `attack 2, pkce_method_plain_rejected`(method: String) async throws {
        try await expectRefusal { $0.with("code_challenge_method", method) }
    }

    @Test func `attack 3, pkce_method_absent_means_plain_rejected`() async throws {
        try await expectRefusal { $0.with("code_challenge_method", nil) }
        try await expectRefusal { $0.with("code_challenge_method", "") }
    }

    @Test func `attack 4, pkce_method_without_challenge`() async throws {
        try await expectRefusal { $0.with("code_challenge", nil) }
    }

    @Test func `attack 5, pkce_challenge_wrong_length_or_charset`() async throws {
        for change: (String) -> String in [
            { String($0.dropLast()) }, { $0 + "A" }, { $0 + "=" }, { "+" + $0.dropFirst() }, { "/" + $0.dropFirst() },
            { " " + $0.dropFirst() }, { String($0.dropLast()) + "\u{0}" },
        ] {
            try await expectRefusal { $0.with("code_challenge", change($0["code_challenge"] ?? "")) }
        }
    }

    @Test func `attack 6, pkce_challenge_noncanonical_base64`() async throws {
        // The last of 43 characters carries four bits: its two low bits must be zero.
        try await expectRefusal { parameters in
            let challenge = parameters["code_challenge"] ?? ""
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let last = alphabet.firstIndex { $0 == challenge.last } ?? 0
            return parameters.with("code_challenge", challenge.dropLast() + String(alphabet[last + 1]))
        }
    }

    /// Redeems a code with another verifier: the server rejects it, and the correct one still works afterwards.
    private func expectRefusal(
        ofVerifier verifier: String?,
        error: String = "invalid_grant",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt).with("code_verifier", verifier)
        expect(try await client.post("/token", parameters), isError: error, sourceLocation: sourceLocation)
        try await expectStillWorks(code, of: client, attempt, sourceLocation: sourceLocation)
    }

    @Test func `attack 7, pkce_verifier_missing`() async throws {
        try await expectRefusal(ofVerifier: nil, error: "invalid_request")
        try await expectRefusal(ofVerifier: "", error: "invalid_request")
    }

    @Test func `attack 8, pkce_verifier_wrong`() async throws {
        try await expectRefusal(ofVerifier: String(repeating: "a", count: 43))
    }

    /// Redeems a code whose challenge is the hash of this verifier: only the form of the verifier is left to reject.
    private func expectRefusal(
        ofMalformedVerifier verifier: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var attempt = client.attempt()
        let challenge = Base64URL.encode(SHA256.hash(Array(verifier.utf8)).bytes)
        attempt.parameters = attempt.parameters.with("code_challenge", challenge)
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt).with("code_verifier", verifier)
        expect(try await client.post("/token", parameters), isError: "invalid_grant", sourceLocation: sourceLocation)
        // The code was not used.
        let now = server.clock.now()
        let secret = try #require(GrantSecret(code, as: .code))
        let redemption = try await server.storage.redeem(
            secret,
            issuing: nil,
            until: now,
            recording: Recording(WriteAttempt(id: 1)),
            at: now
        )
        #expect(redemption == .done(.first), sourceLocation: sourceLocation)
    }

    @Test func `attack 9, pkce_verifier_42_chars`() async throws {
        try await expectRefusal(ofMalformedVerifier: String(repeating: "a", count: 42))
    }

    @Test func `attack 10, pkce_verifier_129_chars`() async throws {
        try await expectRefusal(ofMalformedVerifier: String(repeating: "a", count: 129))
    }

    @Test(arguments: [" ", "+", "%", "\u{E9}", "\u{0}", "\n"])
    func `attack 11, pkce_verifier_illegal_chars`(character: String) async throws {
        try await expectRefusal(ofMalformedVerifier: String(repeating: "a", count: 42) + character)
    }

    @Test func `attack 12, pkce_downgrade_verifier_without_challenge`() async throws {
        // Codes are never issued without a challenge, so the authorization request already fails.
        try await expectRefusal { $0.with("code_challenge", nil).with("code_challenge_method", nil) }
    }

    @Test func `attack 13, pkce_downgrade_s256_to_plain_at_token`() async throws {
        let client = try FakeClient(try await ServerUnderTest.inMemory())
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let parameters = client.exchange(code, attempt)
            .with("code_verifier", attempt.parameters["code_challenge"])
            .with("code_challenge_method", "plain")
        expect(try await client.post("/token", parameters), isError: "invalid_grant")
        try await expectStillWorks(code, of: client, attempt)
    }

    @Test func `attack 14, pkce_challenge_reused_across_requests`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)

        let browser = try await server.signedInBrowser()
        let again = await browser.get(try await client.pushedTarget(attempt))
        let callback = try await browser.decide("allow", on: again).callback()
        #expect(callback["error"] == "invalid_request")
        #expect(callback["code"] == nil)
        #expect(callback["state"] == attempt.state)
        try await expectStillWorks(code, of: client, attempt)
    }
}
