// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage
import JOSE
import OAuthCore
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: several issuers")
struct SeveralIssuersTests {
    private static let partner = "https://partner.example.org"

    private let partnerKey: SoftwareSigningKey

    init() throws {
        partnerKey = try TestKey.p256(7)
    }

    /// A gateway that accepts the tokens of a partner too, whose key has the same name.
    private func stage(partnerKeys: (any JWKSetSource)? = nil) throws -> GatewayStage {
        let published = JWKSet([partnerKey.publicKey.named("key-1", algorithm: .es256)])
        let keys: any JWKSetSource = partnerKeys ?? FixedJWKSet(published)
        return try GatewayStage(furtherIssuers: [AcceptedIssuer(issuer: Self.partner, keys: keys)])
    }

    private func partnerToken(_ stage: GatewayStage) async throws -> String {
        try await stage.accessToken(signedBy: partnerKey) { $0["iss"] = .string(Self.partner) }
    }

    @Test func `the API and the log learn which issuer a user with the same sub is from`() async throws {
        let stage = try stage()
        let tokens = [
            (GatewayStage.issuer, try await stage.accessToken()), (Self.partner, try await partnerToken(stage)),
        ]
        for (issuer, token) in tokens {
            let answer = await stage.engine.respond(to: try await stage.honest(token: token))
            #expect(answer.status == 200)
            #expect(answer.fields.values(for: "X-Keybound-Subject") == ["ada"])
            #expect(answer.fields.values(for: "X-Keybound-Issuer") == [issuer])
            #expect(stage.decisions.last?.issuer == issuer)
            #expect(stage.decisions.last?.subject == "ada")
        }
    }

    @Test func `attack: X-Keybound-Issuer of a client is not what the API gets`() async throws {
        let stage = try stage()
        let token = try await partnerToken(stage)
        let question = try await stage.honest(token: token) { $0["X-Keybound-Issuer"] = GatewayStage.issuer }
        let answer = await stage.engine.respond(to: question)
        #expect(answer.fields.values(for: "X-Keybound-Issuer") == [Self.partner])
        let open = stage.question("/health") { $0["X-Keybound-Issuer"] = GatewayStage.issuer }
        #expect(await stage.engine.respond(to: open).fields.values(for: "X-Keybound-Issuer") == ["-"])
    }

    @Test func `attack: the key of one issuer, the name of the other`() async throws {
        let stage = try stage()
        let own = try await stage.accessToken(signedBy: partnerKey)
        let partner = try await stage.accessToken { $0["iss"] = .string(Self.partner) }
        let unknown = try await stage.accessToken { $0["iss"] = .string(Self.partner + "/") }
        for token in [own, partner, unknown] {
            let answer = await stage.engine.respond(to: try await stage.honest(token: token))
            #expect(answer.status == 401)
            #expect(answer.fields["WWW-Authenticate"]?.contains("error=\"invalid_token\"") == true)
            #expect(answer.fields["X-Keybound-Issuer"] == nil)
        }
    }

    @Test func `an issuer that is away stops its own tokens only`() async throws {
        let stage = try stage(partnerKeys: NoKeys())
        #expect(try await stage.status(stage.honest(token: partnerToken(stage))) == 503)
        #expect(try await stage.status(stage.honest()) == 200)
    }

    @Test func `RFC 9728: clients find every issuer in the metadata`() async throws {
        let stage = try stage()
        let question = stage.question(path: "/.well-known/oauth-protected-resource")
        let answer = await stage.engine.respond(to: question)
        let document = try JSONValue(parsing: answer.body).objectValue
        let expected = JSONValue.strings([GatewayStage.issuer, Self.partner])
        #expect(document?["authorization_servers"] == expected)
    }
}
