// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import StrictJSON
import Synchronization
import Testing

@Suite("OAuth 2.0 for First-Party Applications section 9.2 over sockets: what a forged answer can make the client do")
struct ForgedChallengeTests {
    /// A server whose authorization challenge endpoint gives answers of an attacker, and the attacker's own server.
    private struct Place {
        private let script = ForgedAnswers()
        private let stolen = RequestCount()
        private let listeners: [HTTPListener]
        let issuer: String
        let evil: String

        init() throws {
            let (script, stolen) = (script, stolen)
            listeners = [
                try HTTPListener(port: 0, threads: 1) { script.respond(to: $0) },
                try HTTPListener(port: 0, threads: 1) { _ in
                    stolen.add()
                    return HTTPResponse(status: 200)
                },
            ]
            issuer = "http://127.0.0.1:\(listeners[0].port)"
            evil = "http://127.0.0.1:\(listeners[1].port)"
        }

        /// How many requests the attacker got.
        var stolenRequests: Int { stolen.value }

        /// The bodies that the honest server got.
        var received: [String] { script.received }

        func answer(_ response: HTTPResponse) {
            script.add(response)
        }

        func stop() async {
            for listener in listeners { await listener.stop(draining: .zero) }
        }
    }

    private static let open = HTTPResponse.object(
        403,
        ["error": "insufficient_authorization", "auth_session": "a", "steps": [["type": "password"]]]
    )
    private static let password = StepAnswer.password(username: "ada", password: "MARK")

    private func step(_ place: Place) async throws -> FirstPartySignIn {
        place.answer(Self.open)
        let client = try OAuth2Client(
            issuer: place.issuer,
            clientID: "app",
            redirectURI: "com.example.app:/callback",
            configuration: .allowingInsecureHTTPOnLoopback
        )
        guard case .next(let signIn) = try await client.startFirstPartySignIn(scopes: ["a"]) else {
            throw OAuthClientError(.malformedResponse, "no step")
        }
        return signIn
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `attack 231, downgrade_to_browser: a redirect does not take the password anywhere`(_ status: Int) async throws
    {
        let place = try Place()
        let signIn = try await step(place)
        place.answer(HTTPResponse(status: status, fields: ["Location": place.evil + "/authorize-challenge"]))
        let error = await #expect(throws: OAuthClientError.self) { _ = try await signIn.answer(Self.password) }
        #expect(error?.code == .malformedResponse)
        let again = await #expect(throws: OAuthClientError.self) { _ = try await signIn.answer(Self.password) }
        #expect(again?.code == .signInExpired)
        #expect(place.stolenRequests == 0)
        #expect(place.received.count { $0.contains("MARK") } == 1)
        await place.stop()
    }

    @Test func `attack 231: only the page of the client's own metadata is opened`() async throws {
        let place = try Place()
        let signIn = try await step(place)
        var forged = HTTPResponse.object(
            403,
            [
                "error": "redirect_to_web", "request_uri": .string(place.evil + "/x"),
                "authorization_endpoint": .string(place.evil + "/authorize"), "expires_in": 60,
            ]
        )
        forged.fields["Location"] = place.evil
        place.answer(forged)
        guard case .redirectToWeb(let continuation) = try await signIn.answer(Self.password) else {
            Issue.record("the browser does not take over")
            return
        }
        let url = try await continuation.url()
        #expect(url.hasPrefix(place.issuer + "/authorize?client_id=app&request_uri="))
        #expect(place.stolenRequests == 0)
        await place.stop()
    }

    @Test func `attack 231: a nonce that is never good is asked for once`() async throws {
        let place = try Place()
        let signIn = try await step(place)
        var demand = HTTPResponse.object(400, ["error": "use_dpop_nonce"])
        for nonce in ["n1", "n2", "n3", "n4"] {
            demand.fields["DPoP-Nonce"] = nonce
            place.answer(demand)
        }
        let error = await #expect(throws: OAuthClientError.self) { _ = try await signIn.answer(Self.password) }
        #expect(error?.code == .serverRejected)
        #expect(place.received.count == 3)
        await place.stop()
    }

    @Test func `attack 231: a response of another sign-in, or of another issuer, ends in no token request`()
        async throws
    {
        let forgeries: [@Sendable (String) -> String] = [
            { "code=c&state=x\($0)" }, { "code=c&state=\($0)&iss=https%3A%2F%2Fevil.example" },
            { "code=c&state=\($0)" },
        ]
        for forge in forgeries {
            let place = try Place()
            let signIn = try await step(place)
            place.answer(.object(403, ["error": "redirect_to_web", "request_uri": "urn:x", "expires_in": 60]))
            guard case .redirectToWeb(let continuation) = try await signIn.answer(Self.password) else {
                Issue.record("the browser does not take over")
                return
            }
            let error = await #expect(throws: OAuthClientError.self) {
                _ = try await continuation.signIn(using: Forger(forge: forge))
            }
            #expect(error?.code == .unknownState || error?.code == .callbackOfAnotherIssuer)
            #expect(!place.received.contains { $0.contains("grant_type") })
            await place.stop()
        }
    }
}

/// A browser that brings back what an attacker made of the `state`.
private struct Forger: UserAgent {
    let forge: @Sendable (String) -> String

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        let request = try await makeRequest(redirectURI)
        return AuthorizationCallback(url: redirectURI + "?" + forge(request.state))
    }
}

/// The honest server: metadata of its own, and answers that a test gives.
private final class ForgedAnswers: Sendable {
    private let answers = Mutex<[HTTPResponse]>([])
    private let bodies = Mutex<[String]>([])

    var received: [String] { bodies.withLock { $0 } }

    func add(_ response: HTTPResponse) {
        answers.withLock { $0.append(response) }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        if request.method == "GET" { return .object(200, metadata("http://" + (request.fields["Host"] ?? ""))) }
        bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
        return answers.withLock { $0.isEmpty ? HTTPResponse(status: 404) : $0.removeFirst() }
    }

    private func metadata(_ issuer: String) -> JSONObject {
        [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"),
            "authorization_challenge_endpoint": .string(issuer + "/authorize-challenge"),
            "authorization_response_iss_parameter_supported": true,
        ]
    }
}

private final class RequestCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() {
        count.withLock { $0 += 1 }
    }
}

extension HTTPResponse {
    fileprivate static func object(_ status: Int, _ object: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
    }
}
