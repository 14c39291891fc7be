// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// Each of these clients was registered once, and refused at every request.
@Suite("Registrations that cannot work")
struct ClientRuleTests {
    /// Why an operator cannot register a client; `nil` if it is registered.
    private func refusal(
        _ method: ClientAuthenticationMethod = .privateKeyJWT,
        _ change: (inout RegisteredClient) throws -> Void
    ) async throws -> String? {
        let administration = ServerAdministration(
            storage: MemoryAuthorizationStorage(),
            clock: FixedClock(),
            entropy: SeededEntropy()
        )
        let client = try ConfidentialClient.registration("c", method, change)
        do {
            try await administration.addClient(client)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        arguments: [
            ([.authorizationCode, .refreshToken], true), ([.deviceCode, .refreshToken], true),
            ([.clientCredentials, .refreshToken], false), ([.tokenExchange, .refreshToken], false),
            ([.refreshToken], false),
        ] as [([GrantType], Bool)]
    )
    func `a refresh token comes with a code or with a device only`(grants: [GrantType], isGood: Bool) async throws {
        let reason = try await refusal { $0.grantTypes = grants }
        #expect((reason == nil) == isGood)
        #expect(isGood || reason?.contains("leave refresh_token out") == true)
    }

    @Test func `an algorithm that none of the keys is for is rejected`() async throws {
        for algorithm in [SignatureAlgorithm.es256, .ps256] {
            let isGood = algorithm == .es256
            let assertions = try await refusal { $0.tokenEndpointAuthSigningAlgorithm = algorithm }
            #expect((assertions == nil) == isGood)
            let requests = try await refusal { $0.requestObjectSigningAlgorithm = algorithm }
            #expect((requests == nil) == isGood)
        }
        // A client with a secret makes no assertions; but without a key it signs no requests either.
        #expect(try await refusal(.clientSecretBasic) { $0.tokenEndpointAuthSigningAlgorithm = .es256 } == nil)
        #expect(try await refusal(.clientSecretBasic) { $0.requestObjectSigningAlgorithm = .es256 } != nil)
    }

    @Test(arguments: ["", "a\nb", "a\u{7F}b", "a\u{85}b", String(repeating: "a", count: 129)])
    func `a name that the consent page cannot show is rejected`(name: String) async throws {
        #expect(try await refusal { $0.name = name }?.contains("client_name") == true)
    }

    @Test func `a client that an operator registers has its keys in jwks`() async throws {
        #expect(try await refusal { $0.jwksURI = "https://app.example/keys.json" }?.hasSuffix("use jwks") == true)
    }

    @Test func `an unknown right for token exchange and a missing grant type are told apart`() async throws {
        let unknown = try await refusal {
            $0.grantTypes = [.tokenExchange]
            $0.tokenExchangeRights = [TokenExchangePolicy(rawValue: "everything")]
        }
        #expect(unknown?.contains("unknown right for token exchange") == true)
        let missing = try await refusal { $0.tokenExchangeRights = [.subjectTokensBoundToKeysOfOthers] }
        #expect(missing?.contains("grant type token-exchange") == true)
    }

    /// Why a server with a configuration refuses a client; `nil` if it accepts it.
    private func misfit(
        _ method: ClientAuthenticationMethod,
        at change: (inout ServerConfiguration) -> Void,
        client changeClient: (inout RegisteredClient) throws -> Void = { _ in }
    ) throws -> String? {
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: ServerUnderTest.issuer),
            audience: ServerUnderTest.audience,
            scopes: []
        )
        change(&configuration)
        let client = try ConfidentialClient.registration("c", method, changeClient)
        do {
            try configuration.requireFit(of: client)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `what the configuration refuses is rejected at the registration`() throws {
        #expect(try misfit(.clientSecretBasic, at: { _ in }) == nil)
        #expect(try misfit(.privateKeyJWT, at: { $0.adopt(.fapi2) }) == nil)
        for method in [ClientAuthenticationMethod.none, .clientSecretBasic, .clientSecretPost] {
            let reason = try misfit(method, at: { $0.adopt(.fapi2) })
            #expect(reason?.contains("private_key_jwt (FAPI 2.0 section 5.3.2.1)") == true)
        }
        let assertions = try misfit(.privateKeyJWT, at: { $0.clientAssertionAlgorithms = [.ps256] })
        #expect(assertions?.contains("for assertions (RFC 7523 section 3)") == true)
        #expect(assertions?.hasSuffix("with an algorithm that this server accepts: PS256") == true)
        let unsigned = try misfit(.clientSecretBasic, at: { $0.requireSignedRequestObject = true })
        #expect(unsigned?.contains("signed requests (RFC 9101 section 6)") == true)
        #expect(try misfit(.privateKeyJWT, at: { $0.requireSignedRequestObject = true }) == nil)
        let service = try misfit(
            .clientSecretBasic,
            at: { $0.requireSignedRequestObject = true },
            client: { $0.grantTypes = [.clientCredentials] }
        )
        #expect(service == nil, "it sends no authorization requests")
        let details = try misfit(
            .clientSecretBasic,
            at: { _ in },
            client: { $0.authorizationDetailTypes = ["files"] }
        )
        #expect(details?.contains("'files'") == true)
    }

    @Test func `a client that registers itself is rejected for the same reason`() async throws {
        let server = try await ServerUnderTest.inMemory { $0.clientAssertionAlgorithms = [.ps256] }
        let administration = ServerAdministration(storage: server.storage, clock: server.clock, entropy: server.entropy)
        let token = try await administration.newRegistrationToken()
        let key = JSONValue.object(try TestKey.p256(7).publicKey.json)
        let metadata: JSONObject = [
            "redirect_uris": ["https://new.example.com/callback"], "token_endpoint_auth_method": "private_key_jwt",
            "jwks": ["keys": [key]],
        ]
        let response = await server.send(
            HTTPRequest(
                method: "POST",
                target: "/register",
                fields: ["Content-Type": "application/json", "Authorization": "Bearer \(token.value)"],
                body: JSONValue.object(metadata).encoded()
            )
        )
        #expect(response.error == "invalid_client_metadata")
        #expect(response.text.contains("that this server accepts: PS256"))
    }
}
