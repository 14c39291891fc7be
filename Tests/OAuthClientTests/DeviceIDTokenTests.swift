// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("The id_token of a sign-in with another device")
struct DeviceIDTokenTests {
    private func tokens(_ fixture: OpenIDFixture, scopes: [String] = ["openid"]) async throws -> TokenSet {
        await fixture.provider.change {
            $0.metadata["device_authorization_endpoint"] = .string(fixture.provider.base + "/device")
            $0.instead["/device"] = [
                .json(
                    200,
                    [
                        "device_code": "device-1", "user_code": "ABCD",
                        "verification_uri": .string(fixture.provider.base + "/code"), "expires_in": 60,
                    ]
                )
            ]
        }
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: scopes)
        return try await fixture.client.completeDeviceAuthorization(authorization, sleepingOn: SleepingClock())
    }

    @Test func `it says who signed in, without a nonce, and may be missing`() async throws {
        let fixture = try await OpenIDFixture()
        let idToken = try await tokens(fixture).idToken
        #expect(idToken?.subject == "alice")
        #expect(idToken?.nonce == nil)
        await fixture.provider.change { $0.change = { _ in nil } }
        #expect(try await tokens(fixture).idToken == nil)
    }

    @Test(
        arguments: [
            ["nonce": "of another sign-in"], ["iss": "https://evil.example"], ["aud": "another-app"],
            ["at_hash": "AAAA"],
        ] as [JSONObject]
    )
    func `one that breaks a rule is rejected, and the tokens are revoked`(_ claims: JSONObject) async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = claims }
        #expect(await clientError { _ = try await tokens(fixture) }?.code == .idTokenRejected)
        #expect(await fixture.provider.count(at: "/revoke") == 1)
    }

    @Test func `without the scope openid it is not looked at`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.claims = ["iss": "https://evil.example"] }
        #expect(try await tokens(fixture, scopes: ["notes"]).idToken == nil)
    }
}
#endif
