// SPDX-License-Identifier: Apache-2.0

import DPoP
import Gateway
import HTTPMessage
import JOSE
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: decisions")
struct DecisionTests {
    @Test func `a request without credentials gets one challenge field, with the metadata and the scope`() async throws
    {
        let stage = try GatewayStage()
        let answer = await stage.engine.respond(to: stage.question("/notes/1"))
        #expect(answer.status == 401)
        let challenge = answer.fields.values(for: "WWW-Authenticate")
        #expect(challenge.count == 1)
        #expect(challenge.first?.hasPrefix("DPoP scope=\"notes:read\", algs=\"") ?? false)
        #expect(
            challenge.first?.contains(
                "resource_metadata=\"https://api.example.com/.well-known/oauth-protected-resource/notes/1\""
            ) ?? false
        )
        #expect(answer.fields["Access-Control-Expose-Headers"] == "DPoP-Nonce, WWW-Authenticate")
    }

    @Test func `attack: a bound token as Bearer gets both challenges in one field`() async throws {
        let stage = try GatewayStage()
        let token = try await stage.accessToken()
        let answer = await stage.engine.respond(to: stage.question(credentials: ["Authorization": "Bearer \(token)"]))
        #expect(answer.status == 401)
        let challenges = answer.fields.values(for: "WWW-Authenticate")
        #expect(challenges.count == 1)
        #expect(challenges.first?.contains("Bearer error=\"invalid_token\"") ?? false)
        #expect(challenges.first?.contains("DPoP algs=") ?? false)
    }

    @Test func `attack: a token that is bound to nothing passes only where a rule says so`() async throws {
        let stage = try GatewayStage()
        let token = try await stage.accessToken { $0["cnf"] = nil }
        let bearer: HTTPFields = ["Authorization": "Bearer \(token)"]
        #expect(await stage.status(stage.question(credentials: bearer)) == 401)
        let allowed = await stage.engine.respond(
            to: stage.question("/import/7/rows", method: "POST", credentials: bearer)
        )
        #expect(allowed.status == 200)
        #expect(allowed.fields["X-Keybound-Binding"] == "bearer")
        let bound: HTTPFields = ["Authorization": "Bearer \(try await stage.accessToken())"]
        #expect(await stage.status(stage.question("/import/7/rows", method: "POST", credentials: bound)) == 401)
    }

    @Test func `attack: a used proof, and proofs of another method or path`() async throws {
        let stage = try GatewayStage()
        let question = try await stage.honest()
        #expect(await stage.status(question) == 200)
        #expect(await stage.status(question) == 401)
        let other = try await stage.honest("/notes/1") { $0["X-Forwarded-Uri"] = "/notes/2" }
        #expect(await stage.status(other) == 401)
        let head = try await stage.honest { $0["X-Forwarded-Method"] = "HEAD" }
        #expect(await stage.status(head) == 401)
        let slash = try await stage.honest { $0["X-Forwarded-Uri"] = "/notes/" }
        #expect(await stage.status(slash) == 401)
    }

    @Test func `attack: two proofs, a joined one, and two tokens`() async throws {
        let stage = try GatewayStage()
        let two = try await stage.honest { $0.append(name: "DPoP", value: $0["DPoP"] ?? "") }
        #expect(await stage.status(two) == 401)
        let joined = try await stage.honest { $0["DPoP"] = ($0["DPoP"] ?? "") + ", " + ($0["DPoP"] ?? "") }
        #expect(await stage.status(joined) == 401)
        let tokens = try await stage.honest { $0.append(name: "Authorization", value: $0["Authorization"] ?? "") }
        #expect(await stage.status(tokens) == 400)
        let query = try await stage.honest("/notes?access_token=x")
        #expect(await stage.status(query) == 400)
    }

    @Test func `for nginx, statuses that it does not know are in a field`() async throws {
        let stage = try GatewayStage()
        let ambiguous = await stage.engine.respond(to: stage.question("/notes//x", path: "/check/nginx"))
        #expect(ambiguous.status == 401)
        #expect(ambiguous.fields["X-Keybound-Status"] == "400")
        let host = await stage.engine.respond(
            to: stage.question(path: "/check/nginx") { $0["X-Forwarded-Host"] = "evil.test" }
        )
        #expect(host.status == 401)
        #expect(host.fields["X-Keybound-Status"] == "421")
        let rule = await stage.engine.respond(to: stage.question("/other", path: "/check/nginx"))
        #expect(rule.status == 403)
        #expect(rule.fields["X-Keybound-Status"] == "403")
        #expect(await stage.status(stage.question("/notes//x")) == 400)
    }

    @Test func `attack: scope and step-up, before the proof is recorded`() async throws {
        let stage = try GatewayStage()
        let post = await stage.engine.respond(to: try await stage.honest(method: "POST"))
        #expect(post.status == 403)
        #expect(post.fields["WWW-Authenticate"]?.contains("scope=\"notes:write\"") ?? false)
        let weak = await stage.engine.respond(to: try await stage.honest("/payments"))
        #expect(weak.status == 401)
        #expect(weak.fields["WWW-Authenticate"]?.contains("error=\"insufficient_user_authentication\"") ?? false)
        #expect(weak.fields["WWW-Authenticate"]?.contains("acr_values=\"mfa\", max_age=\"300\"") ?? false)
        #expect(stage.replay.count == 0)
        #expect(stage.decisions.last?.check == "authentication")
        let time = stage.clock.now().secondsSince1970
        let strong = try await stage.accessToken { claims in
            claims["acr"] = "mfa"
            claims["auth_time"] = .number(JSONNumber(time - 10))
        }
        let answer = await stage.engine.respond(to: try await stage.honest("/payments", token: strong))
        #expect(answer.status == 200)
        #expect(answer.fields["X-Keybound-Acr"] == "mfa")
        #expect(answer.fields["X-Keybound-Auth-Time"] == "\(time - 10)")
    }

    /// RFC 7519 section 2: a NumericDate may have a fraction.
    @Test(arguments: [
        ("1700000000.75", "1700000000"), ("1700000000", "1700000000"), ("-0.5", "-1"), ("1.7e9", "1700000000"),
        ("\"1700000000\"", "-"), ("1e300", "-"),
    ])
    func `the time of the sign-in is sent in whole seconds, rounded down`(
        _ claim: String,
        _ field: String
    ) async throws {
        let stage = try GatewayStage()
        let time = try JSONValue(parsing: Array(claim.utf8))
        let token = try await stage.accessToken { $0["auth_time"] = time }
        let answer = await stage.engine.respond(to: try await stage.honest(token: token))
        #expect(answer.status == 200)
        #expect(answer.fields["X-Keybound-Auth-Time"] == field)
    }

    @Test func `a nonce is demanded, and a new one comes with a success`() async throws {
        let stage = try GatewayStage(nonces: .required)
        let first = await stage.engine.respond(to: try await stage.honest())
        #expect(first.status == 401)
        #expect(first.fields["WWW-Authenticate"]?.contains("error=\"use_dpop_nonce\"") ?? false)
        let nonce = try #require(first.fields["DPoP-Nonce"])
        let token = try await stage.accessToken()
        func again() async throws -> HTTPResponse {
            let proof = try await stage.proof("GET", "/notes", token, nonce: nonce)
            return await stage.engine.respond(
                to: stage.question(credentials: ["Authorization": "DPoP \(token)", "DPoP": proof])
            )
        }
        let young = try await again()
        #expect(young.status == 200)
        #expect(young.fields["DPoP-Nonce"] == nil)
        stage.clock.advance(by: .seconds(200))
        let old = try await again()
        #expect(old.status == 200)
        #expect(old.fields["DPoP-Nonce"] != nil)
        #expect(old.fields["Access-Control-Expose-Headers"]?.contains("DPoP-Nonce") ?? false)
    }

    @Test func `preflights pass without identity, if a rule fits the method`() async throws {
        let stage = try GatewayStage()
        func ask(_ requested: String, _ more: HTTPFields = [:]) async -> HTTPResponse {
            await stage.engine.respond(
                to: stage.question("/import/7/rows", method: "OPTIONS", credentials: more) { fields in
                    fields.append(name: "Origin", value: "https://app.example.com")
                    fields.append(name: "Access-Control-Request-Method", value: requested)
                }
            )
        }
        let preflight = await ask("POST")
        #expect(preflight.status == 200)
        #expect(preflight.fields["X-Keybound-Subject"] == "-")
        #expect(await ask("DELETE").status == 403)
        #expect(await ask("POST", ["Authorization": "DPoP x"]).status == 403)
        #expect(await stage.status(stage.question(method: "OPTIONS")) == 401)
        let refusing = try GatewayStage { $0.preflight = .refuse }
        let question = refusing.question(method: "OPTIONS") { fields in
            fields.append(name: "Origin", value: "https://app.example.com")
            fields.append(name: "Access-Control-Request-Method", value: "GET")
        }
        #expect(await refusing.status(question) == 401)
    }

    @Test func `an open path passes without identity, whatever the token`() async throws {
        let stage = try GatewayStage()
        let answer = await stage.engine.respond(to: stage.question("/health", credentials: ["Authorization": "DPoP x"]))
        #expect(answer.status == 200)
        for name in IdentityFields.names { #expect(answer.fields.values(for: name) == ["-"]) }
        #expect(stage.decisions.last?.outcome == .open)
    }

    @Test func `attack: values are encoded, and every field is sent`() async throws {
        let stage = try GatewayStage { $0.claimFields = ["X-Keybound-Tenant": "tenant", "X-Keybound-Level": "level"] }
        let token = try await stage.accessToken { claims in
            claims["sub"] = "\u{E9}%,\r\nX: y"
            claims["tenant"] = "-"
            claims["level"] = 7
        }
        let answer = await stage.engine.respond(to: try await stage.honest(token: token))
        #expect(answer.status == 200)
        #expect(answer.fields["X-Keybound-Subject"] == "%C3%A9%25%2C%0D%0AX:%20y")
        #expect(answer.fields["X-Keybound-Tenant"] == "%2D")
        #expect(answer.fields["X-Keybound-Level"] == "7")
        let without = await stage.engine.respond(to: try await stage.honest())
        #expect(without.fields.values(for: "X-Keybound-Tenant") == ["-"])
        let long = try await stage.accessToken { $0["sub"] = .string(String(repeating: "s", count: 2048)) }
        let refused = await stage.engine.respond(to: try await stage.honest(token: long))
        #expect(refused.status == 401)
        #expect(refused.fields["WWW-Authenticate"]?.contains("invalid_token") ?? false)
    }

    @Test func `metadata is answered for the URL that was asked about`() async throws {
        let stage = try GatewayStage()
        func ask(_ target: String, host: String? = "api.example.com") async -> HTTPResponse {
            var fields: HTTPFields = ["Host": "keybound"]
            fields["X-Forwarded-Host"] = host
            return await stage.engine.respond(to: HTTPRequest(target: target, fields: fields, isFromUnixSocket: true))
        }
        let path = "/.well-known/oauth-protected-resource"
        let notes = await ask(path + "/notes%2Fa")
        #expect(notes.status == 200)
        let document = try JSONValue(parsing: notes.body).objectValue
        #expect(document?["resource"] == "https://api.example.com/notes%2Fa")
        #expect(await ask(path).status == 200)
        #expect(await ask(path + "/../notes").status == 404)
        #expect(await ask(path + "ful").status == 404)
        #expect(await ask(path, host: nil).status == 421)
        #expect(await ask(path, host: "evil.test").status == 421)
    }
}
