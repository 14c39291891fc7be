// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect Core section 5.3: the userinfo endpoint")
struct UserInfoTests {
    private func answer(
        _ rules: @Sendable (inout OpenIDProvider.Rules) -> Void
    ) async throws -> Result<UserInfo, OAuthClientError> {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        await fixture.provider.change(rules)
        do {
            return .success(try await session.userInfo())
        } catch {
            return .failure(error)
        }
    }

    private func error(_ rules: @Sendable (inout OpenIDProvider.Rules) -> Void) async throws -> OAuthClientError? {
        if case .failure(let error) = try await answer(rules) { error } else { nil }
    }

    @Test func `the claims of the user`() async throws {
        let info = try await answer { $0.userInfo["email_verified"] = true }.get()
        #expect(info.subject == "alice")
        #expect(info.name == "Alice")
        #expect(info.email == "alice@example.com")
        #expect(info.isEmailVerified)
        #expect(!"\(info)".contains("lice"))
    }

    @Test func `section 5.3.4: sub is that of the id_token`() async throws {
        #expect(try await error { $0.userInfo["sub"] = "mallory" }?.code == .userInfoRejected)
        #expect(try await error { $0.userInfo["sub"] = nil }?.code == .userInfoRejected)
        #expect(try await error { $0.userInfo["sub"] = 5 }?.code == .userInfoRejected)
    }

    @Test func `without an id_token there is nothing to compare with, and nothing is asked`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.client.startSession(with: fixture.tokens(scopes: ["profile"]))
        #expect(await clientError { _ = try await session.userInfo() }?.code == .invalidArgument)
        #expect(await fixture.provider.count(at: "/userinfo") == 0)
    }

    @Test func `a limited session asks with the token of the session, which is for the server too`() async throws {
        let fixture = try await OpenIDFixture()
        let limited = try await fixture.session().limited(to: ["https://api.example"])
        #expect(try await limited.userInfo().subject == "alice")
        #expect(await fixture.provider.count(at: "/token") == 1)
    }

    @Test func `nonces and expired tokens are dealt with as in every call`() async throws {
        let fixture = try await OpenIDFixture()
        let session = try await fixture.session()
        await fixture.provider.change { $0.userInfoNonce = "n1" }
        await fixture.provider.forgetToken()
        _ = try await session.userInfo()
        let proofs = await fixture.provider.proofs
        #expect(proofs.map(\.nonce) == [nil, "n1", "n1"])
        #expect(Set(proofs.map(\.accessTokenHash)).count == 2)
        #expect(try await fixture.provider.forms(at: "/token").count == 2)
    }

    @Test func `RFC 8705 section 5: with a certificate it is asked at its alias, as every other endpoint`() async throws
    {
        let fixture = try await OpenIDFixture(transport: DatedTransport(presentsClientCertificate: true)) {
            $0.clientAuthentication = .tlsClientAuth
        }
        let base = fixture.provider.base
        let names = ["token", "userinfo", "introspection", "revocation"]
        let paths = ["token", "userinfo", "introspect", "revoke"].map { "/mtls/\($0)" }
        await fixture.provider.change {
            var aliases: JSONObject = [:]
            for (name, path) in zip(names, paths) { aliases["\(name)_endpoint"] = .string(base + path) }
            $0.metadata["mtls_endpoint_aliases"] = .object(aliases)
            $0.introspection["active"] = true
        }
        let session = try await fixture.session()
        #expect(try await session.userInfo().subject == "alice")
        _ = try await fixture.client.introspect(session.tokenManager.fetch().accessToken)
        await session.signOut()
        for path in paths {
            #expect(await fixture.provider.count(at: path) == 1, "\(path)")
            #expect(await fixture.provider.count(at: path.replacing("/mtls", with: "")) == 0, "\(path)")
        }
    }

    @Test func `RFC 8705 section 5: without a certificate no alias is used`() async throws {
        let fixture = try await OpenIDFixture()
        let alias = fixture.provider.base + "/mtls/userinfo"
        await fixture.provider.change {
            $0.metadata["mtls_endpoint_aliases"] = ["userinfo_endpoint": .string(alias)]
        }
        _ = try await fixture.session().userInfo()
        #expect(await fixture.provider.count(at: "/userinfo") == 1)
        #expect(await fixture.provider.count(at: "/mtls/userinfo") == 0)
    }

    @Test func `a signed answer is verified`() async throws {
        let signed: @Sendable (inout OpenIDProvider.Rules) -> Void = { $0.userInfoHeader = [:] }
        #expect(try await answer(signed).get().name == "Alice")
        let other = try TestKey.p256(8)
        let forged = try await error {
            signed(&$0)
            $0.key = other
        }
        #expect(forged?.code == .userInfoRejected)
        #expect(forged?.reason.contains("signature does not verify") == true)
        let wrong: [(String, JSONValue)] = [
            ("iss", "https://evil.example"), ("aud", "other"), ("exp", 1), ("sub", "bob"),
        ]
        for (name, value) in wrong {
            let refused = try await error {
                signed(&$0)
                $0.userInfo[name] = value
            }
            #expect(refused?.code == .userInfoRejected)
        }
        let right = try await answer {
            signed(&$0)
            $0.userInfo["aud"] = "my-app"
        }
        #expect(try right.get().subject == "alice")
        let otherKind = try await error { $0.userInfoHeader = ["typ": "at+jwt"] }
        #expect(otherKind?.reason.contains("another kind of token") == true)
    }

    @Test func `an algorithm that is not allowed is rejected in a signed answer too`() async throws {
        let key = try SoftwareSigningKey(generating: .es512)
        let refused = try await error {
            $0.userInfoHeader = [:]
            $0.key = key
            $0.keys = JWKSet([key.publicKey.named("k1", algorithm: nil)])
        }
        #expect(refused?.reason.contains("not one of those allowed") == true)
    }

    @Test func `refusals, pages and long answers`() async throws {
        let refused = try await error { $0.instead["/userinfo"] = [.challenge("DPoP", status: 403)] }
        #expect(refused?.code == .serverRejected)
        #expect(refused?.status == 403)
        let page = HTTPResponse(status: 200, fields: ["Content-Type": "text/html"], body: Array("<p>".utf8))
        #expect(try await error { $0.instead["/userinfo"] = [page] }?.code == .malformedResponse)
        let long = HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: 65_537))
        #expect(try await error { $0.instead["/userinfo"] = [long] }?.code == .malformedResponse)
        #expect(try await error { $0.instead["/userinfo"] = [HTTPResponse(status: 502)] }?.code == .serverUnavailable)
    }

    @Test func `a server without the endpoint`() async throws {
        let fixture = try await OpenIDFixture()
        await fixture.provider.change { $0.metadata = ["userinfo_endpoint": .null] }
        let session = try await fixture.session()
        #expect(await clientError { _ = try await session.userInfo() }?.code == .unsupportedByServer)
    }
}
#endif
