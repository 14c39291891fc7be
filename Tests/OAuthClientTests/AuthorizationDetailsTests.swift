// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 9396: authorization details, over real sockets")
struct AuthorizationDetailsTests {
    private var payment: AuthorizationDetail {
        var detail = AuthorizationDetail(type: "payment_initiation")
        detail.actions = ["initiate"]
        detail.otherMembers["amount"] = ["currency": "EUR", "value": "1 000.50 &+=ü"]
        return detail
    }

    private var options: AuthorizationOptions {
        var options = AuthorizationOptions()
        options.authorizationDetails = [payment, AuthorizationDetail(type: "account_information")]
        return options
    }

    private func response(_ fixture: GrantFixture) async throws -> AuthorizationResponse {
        let request = try await fixture.client.initiateAuthorization(scopes: [], options: options)
        let answer: FormParameters = ["code": "c", "state": request.state]
        let callback = try URI(parsing: request.redirectURI).appendingQuery(answer).description
        return try await fixture.client.parseAuthorizationResponse(callback)
    }

    private func parse(_ text: String?) throws -> [AuthorizationDetail] {
        try AuthorizationDetail.list(parsing: JSONValue(parsing: Array(#require(text).utf8)))
    }

    @Test func `the pushed request has them as JSON, the token request leaves them as they are`() async throws {
        let fixture = try GrantFixture(.none)
        let granted: JSONValue = [["type": "account_information", "accounts": ["DE02"]]]
        fixture.server.change { $0.tokenMembers["authorization_details"] = granted }
        let tokens = try await fixture.client.exchangeAuthorizationCode(response(fixture))
        let pushed = try #require(fixture.server.received(at: "/par").first)
        #expect(try parse(pushed.value("authorization_details")) == options.authorizationDetails)
        #expect(try fixture.server.received(at: "/token").first?.value("authorization_details") == nil)
        // Less than requested, and enriched with what the user chose (section 7.1).
        #expect(tokens.authorizationDetails == (try AuthorizationDetail.list(parsing: granted)))
        #expect(fixture.server.violations == [])
    }

    @Test func `without a pushed request they are in the URL for the browser`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.metadata["pushed_authorization_request_endpoint"] = .null }
        let request = try await fixture.client.initiateAuthorization(scopes: [], options: options)
        let query = try FormParameters(decoding: #require(URI(parsing: request.url).query))
        #expect(try parse(query.value(for: "authorization_details")) == options.authorizationDetails)
    }

    @Test func `a code and a refresh token get an access token for some of them`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.tokenMembers["refresh_token"] = "r"
            $0.tokenMembers["authorization_details"] = [["type": "account_information"]]
        }
        let some = [AuthorizationDetail(type: "account_information")]
        let tokens = try await fixture.client.exchangeAuthorizationCode(
            response(fixture),
            resources: [],
            authorizationDetails: some
        )
        _ = try await fixture.client.refreshAccessToken(tokens, resources: [], authorizationDetails: some)
        let sent = try fixture.server.received(at: "/token").map { try parse($0.value("authorization_details")) }
        #expect(sent == [some, some])
    }

    @Test func `a server that does not say what it granted may not know them: its tokens are thrown away`() async throws
    {
        let fixture = try GrantFixture(.none)
        let response = try await response(fixture)
        let error = await clientError { _ = try await fixture.client.exchangeAuthorizationCode(response) }
        #expect(error?.code == .malformedResponse)
    }

    @Test func `a refresh that says nothing new leaves what was granted`() async throws {
        let fixture = try GrantFixture(.none)
        let granted: JSONValue = [["type": "account_information"]]
        fixture.server.change {
            $0.tokenMembers["refresh_token"] = "r"
            $0.tokenMembers["authorization_details"] = granted
        }
        let tokens = try await fixture.client.exchangeAuthorizationCode(response(fixture))
        fixture.server.change { $0.tokenMembers["authorization_details"] = .null }
        let refreshed = try await fixture.client.refreshAccessToken(tokens)
        #expect(refreshed.authorizationDetails == tokens.authorizationDetails)
        #expect(try fixture.server.received(at: "/token").last?.value("authorization_details") == nil)
        fixture.server.change { $0.tokenMembers["authorization_details"] = [["type": "payment_initiation"]] }
        let changed = try await fixture.client.refreshAccessToken(tokens)
        #expect(changed.authorizationDetails == [AuthorizationDetail(type: "payment_initiation")])
    }

    @Test func `what was granted without being asked for is kept`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.tokenMembers["authorization_details"] = [["type": "default"]] }
        let tokens = try await fixture.client.requestClientCredentialsTokens()
        #expect(tokens.authorizationDetails == [AuthorizationDetail(type: "default")])
    }

    @Test func `a type that the server does not name is not asked for`() async throws {
        let fixture = try GrantFixture.withPrivateKey()
        fixture.server.change { $0.metadata["authorization_details_types_supported"] = ["payment_initiation"] }
        let error = await clientError {
            _ = try await fixture.client.initiateAuthorization(scopes: [], options: options)
        }
        #expect(error?.code == .unsupportedByServer)
        let service = await clientError {
            let details = [AuthorizationDetail(type: "Payment_initiation")]
            _ = try await fixture.client.requestClientCredentialsTokens(authorizationDetails: details)
        }
        #expect(service?.code == .unsupportedByServer)
        #expect(fixture.server.received(at: "/par").isEmpty)
        #expect(fixture.server.received(at: "/token").isEmpty)
        fixture.server.change { $0.tokenMembers["authorization_details"] = [["type": "payment_initiation"]] }
        _ = try await fixture.client.requestClientCredentialsTokens(authorizationDetails: [payment])
    }

    @Test func `a detail without a type, or too many, are rejected before anything is sent`() async throws {
        let fixture = try GrantFixture(.none)
        var large = AuthorizationDetail(type: "a")
        large.identifier = String(repeating: "x", count: 17_000)
        for detail in [AuthorizationDetail(type: ""), large] {
            var options = AuthorizationOptions()
            options.authorizationDetails = [detail]
            let error = await clientError { [options] in
                _ = try await fixture.client.initiateAuthorization(scopes: [], options: options)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(fixture.server.received(at: "/par").isEmpty)
    }

    @Test func `invalid_authorization_details is told with its code`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.instead["/par"] = [.error(400, "invalid_authorization_details")] }
        let error = await clientError {
            _ = try await fixture.client.initiateAuthorization(scopes: [], options: options)
        }
        #expect(error?.code == .serverRejected)
        #expect(error?.answer?.error == .invalidAuthorizationDetails)
    }
}
#endif
