// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 8707: resource indicators, over real sockets")
struct ResourceIndicatorTests {
    private let both = ["https://api.example/a?x=1&y", "urn:example:b"]

    private func response(
        _ fixture: GrantFixture,
        _ options: AuthorizationOptions
    ) async throws -> AuthorizationResponse {
        let request = try await fixture.client.initiateAuthorization(scopes: ["read"], options: options)
        let answer: FormParameters = ["code": "c", "state": request.state]
        let callback = try URI(parsing: request.redirectURI).appendingQuery(answer).description
        return try await fixture.client.parseAuthorizationResponse(callback)
    }

    private func options(_ resources: [String]) -> AuthorizationOptions {
        var options = AuthorizationOptions()
        options.resources = resources
        return options
    }

    @Test func `the pushed request and the token request name every resource`() async throws {
        let fixture = try GrantFixture(.none)
        let response = try await response(fixture, options(both))
        let tokens = try await fixture.client.exchangeAuthorizationCode(response)
        #expect(fixture.server.received(at: "/par").first?.form.values(for: "resource") == both)
        #expect(fixture.server.received(at: "/token").first?.form.values(for: "resource") == both)
        #expect(tokens.resources == both)
        #expect(fixture.server.violations == [])
    }

    @Test func `without a pushed request they are in the URL for the browser`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.metadata["pushed_authorization_request_endpoint"] = .null }
        let request = try await fixture.client.initiateAuthorization(scopes: [], options: options(both))
        let query = try FormParameters(decoding: #require(URI(parsing: request.url).query))
        #expect(query.values(for: "resource") == both)
    }

    @Test func `without resources there is no parameter`() async throws {
        let fixture = try GrantFixture(.none)
        let tokens = try await fixture.client.exchangeAuthorizationCode(response(fixture, AuthorizationOptions()))
        #expect(tokens.resources == [])
        for path in ["/par", "/token"] {
            #expect(fixture.server.received(at: path).first?.form.values(for: "resource") == [])
        }
    }

    @Test func `one code gets an access token for one of them, one refresh token those for the others`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.tokenMembers["refresh_token"] = "r" }
        let response = try await response(fixture, options(both))
        let first = try await fixture.client.exchangeAuthorizationCode(response, resources: [both[0]])
        let second = try await fixture.client.refreshAccessToken(first, resources: [both[1]])
        let again = try await fixture.client.refreshAccessToken(first)
        #expect([first, second, again].map(\.resources) == [[both[0]], [both[1]], [both[0]]])
        let sent = fixture.server.received(at: "/token").map { $0.form.values(for: "resource") }
        #expect(sent == [[both[0]], [both[1]], [both[0]]])
        #expect(fixture.server.violations == [])
    }

    @Test func `a resource that the sign-in did not ask for is rejected before the code is spent`() async throws {
        let fixture = try GrantFixture(.none)
        let response = try await response(fixture, options(both))
        let error = await clientError {
            _ = try await fixture.client.exchangeAuthorizationCode(response, resources: ["https://api.example/c"])
        }
        #expect(error?.code == .invalidArgument)
        #expect(fixture.server.received(at: "/token").isEmpty)
        _ = try await fixture.client.exchangeAuthorizationCode(response)
    }

    @Test func `a sign-in that asked for none may name one at the token endpoint`() async throws {
        let fixture = try GrantFixture(.none)
        let response = try await response(fixture, AuthorizationOptions())
        let tokens = try await fixture.client.exchangeAuthorizationCode(response, resources: [both[1]])
        #expect(tokens.resources == [both[1]])
    }

    @Test(arguments: [
        "", "/notes", "api.example", "https://api.example/#f", "https://api.example#", "https://a b", "https:",
    ])
    func `what is not an absolute URI without a fragment is rejected before anything is sent`(
        _ resource: String
    ) async throws {
        let fixture = try GrantFixture(.none)
        let error = await clientError {
            _ = try await fixture.client.initiateAuthorization(scopes: [], options: options([resource]))
        }
        #expect(error?.code == .invalidArgument)
        #expect(fixture.server.received(at: "/par").isEmpty)
    }

    @Test func `of 33 resources none is asked for`() async throws {
        let fixture = try GrantFixture(.none)
        let many = (0..<33).map { "urn:example:\($0)" }
        let error = await clientError {
            _ = try await fixture.client.initiateAuthorization(scopes: [], options: options(many))
        }
        #expect(error?.code == .invalidArgument)
        _ = try await fixture.client.initiateAuthorization(scopes: [], options: options(Array(many.dropLast())))
    }

    @Test(arguments: ["resource", "authorization_details"])
    func `a parameter that has a name of its own is no further parameter`(_ name: String) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        var further = FormParameters()
        further.append(name, "urn:example:a")
        let (client, parameters) = (fixture.client, further)
        let errors = [
            await clientError {
                let options = AuthorizationOptions(additionalParameters: parameters)
                _ = try await client.initiateAuthorization(scopes: [], options: options)
            },
            await clientError {
                _ = try await client.requestClientCredentialsTokens(additionalParameters: parameters)
            },
            await clientError {
                _ = try await client.startDeviceAuthorization(scopes: [], additionalParameters: parameters)
            },
        ]
        #expect(errors.map { $0?.code } == [.invalidArgument, .invalidArgument, .invalidArgument])
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `every other grant names them too, and what was granted is kept`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        let detail = AuthorizationDetail(type: "report")
        fixture.server.change { $0.tokenMembers["authorization_details"] = [["type": "report", "actions": ["read"]]] }
        let tokens = try #require(try await grant.run(fixture, resources: both, authorizationDetails: [detail]))
        let start = try #require(fixture.server.received(at: grant == .device ? "/device" : "/token").first)
        #expect(start.form.values(for: "resource") == both)
        #expect(try start.value("authorization_details") == #"[{"type":"report"}]"#)
        #expect(fixture.server.received(at: "/token").last?.form.values(for: "resource") == both)
        #expect(tokens.resources == both)
        #expect(tokens.authorizationDetails?.first?.actions == ["read"])
        #expect(fixture.server.violations == [])
    }

    @Test(arguments: BrowserlessGrant.allCases)
    func `invalid_target is told with its code`(_ grant: BrowserlessGrant) async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.instead["/token"] = [.error(400, "invalid_target")] }
        let error = await clientError { _ = try await grant.run(fixture, resources: both) }
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .invalidTarget)
    }

    @Test func `invalid_target of the browser and of the pushed request are told too`() async throws {
        let fixture = try GrantFixture(.none)
        let request = try await fixture.client.initiateAuthorization(scopes: [], options: options(both))
        let answer: FormParameters = ["error": "invalid_target", "state": request.state]
        let callback = try URI(parsing: request.redirectURI).appendingQuery(answer).description
        let refused = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(refused?.code == .authorizationRejected)
        #expect(refused?.answer?.error == .invalidTarget)
        fixture.server.change { $0.instead["/par"] = [.error(400, "invalid_target")] }
        let pushed = await clientError {
            _ = try await fixture.client.initiateAuthorization(scopes: [], options: options(both))
        }
        #expect(pushed?.answer?.error == .invalidTarget)
    }
}
#endif
