// SPDX-License-Identifier: Apache-2.0

import DPoP
import Gateway
import HTTPMessage
import JOSE
import TestSupport
import Testing

@Suite("Gateway: questions of proxies")
struct QuestionTests {
    @Test func `an honest request passes, with its identity and without credentials`() async throws {
        let stage = try GatewayStage()
        let answer = await stage.engine.respond(to: try await stage.honest("/notes?a=b%2Fc"))
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        let fields = answer.fields
        #expect(fields.values(for: "X-Keybound-Subject") == ["ada"])
        #expect(fields["X-Keybound-Client"] == "app")
        #expect(fields["X-Keybound-Scope"] == "notes:read payments")
        #expect(fields["X-Keybound-Issuer"] == GatewayStage.issuer)
        #expect(fields["X-Keybound-Acr"] == "-")
        #expect(fields["X-Keybound-Auth-Time"] == "-")
        #expect(fields["X-Keybound-Binding"] == "dpop:\(stage.clientKey.publicKey.thumbprint)")
        #expect(fields["X-Keybound-Status"] == "200")
        #expect(fields["Cache-Control"] == "no-store")
        #expect(stage.decisions.last?.outcome == .accepted)
        #expect(stage.decisions.last?.path == "/notes")
        #expect(stage.decisions.last?.clientAddress == "192.0.2.9")
        #expect(stage.replay.count == 1)
    }

    @Test(arguments: ["/check", "/check/nginx"])
    func `attack: a question from anywhere but a trusted proxy is rejected`(_ path: String) async throws {
        let stage = try GatewayStage()
        for peer in [nil, "10.0.0.8", "127.0.0.1", "::1", "nonsense"] {
            var question = try await stage.honest(path: path)
            question.isFromUnixSocket = false
            question.peerAddress = peer
            let answer = await stage.engine.respond(to: question)
            #expect(answer.status == 403)
            #expect(answer.fields["WWW-Authenticate"] == nil)
            #expect(answer.fields["X-Keybound-Subject"] == nil)
            #expect(stage.decisions.last?.outcome == .untrustedPeer)
        }
        var trusted = try await stage.honest(path: path)
        trusted.isFromUnixSocket = false
        trusted.peerAddress = "10.0.0.7"
        #expect(await stage.status(trusted) == 200)
    }

    @Test(arguments: ["X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri"])
    func `attack: each part of the request comes exactly once`(_ name: String) async throws {
        let stage = try GatewayStage()
        let missing = try await stage.honest { $0[name] = nil }
        let twice = try await stage.honest { $0.append(name: name.lowercased(), value: $0[name] ?? "") }
        let comma = try await stage.honest { $0[name] = ($0[name] ?? "") + "," + ($0[name] ?? "") }
        #expect(await stage.status(missing) == 503)
        #expect(await stage.status(twice) == 503)
        #expect(stage.decisions.last?.outcome == .misconfiguredProxy)
        // What the client may have sent itself is not the proxy's fault.
        let statuses = ["X-Forwarded-Uri": 403, "X-Forwarded-Method": 403, "X-Forwarded-Host": 421]
        #expect(await stage.status(comma) == statuses[name, default: 503])
    }

    @Test func `attack: a question with a body is rejected`() async throws {
        let stage = try GatewayStage()
        var question = try await stage.honest()
        question.body = [1]
        #expect(await stage.status(question) == 503)
    }

    @Test(arguments: [
        "evil.test", "api.example.com.evil.test", "api.example.com:443:1", "", "[::1", "api.example.com:x", "a,b",
        "api.example.com,api.example.com", "api.example.com x", ":443", ".",
    ])
    func `attack: another host is rejected`(_ host: String) async throws {
        let stage = try GatewayStage()
        let question = try await stage.honest { $0["X-Forwarded-Host"] = host }
        let answer = await stage.engine.respond(to: question)
        #expect(answer.status == 421)
        #expect(answer.fields["X-Keybound-Subject"] == nil)
        #expect(stage.decisions.last?.outcome == .unknownHost)
    }

    /// An operator is alerted to a misconfigured proxy, so no client may look like one (RFC 9110 section 9.1).
    @Test(arguments: [
        String(repeating: "A", count: 33), String(repeating: "a", count: 4000), "G@T", "GET,GET", "G T", "g\u{E9}t",
    ])
    func `attack: a method that no rule can fit is rejected like one that none fits`(_ method: String) async throws {
        let stage = try GatewayStage(rules: [GatewayRule(path: PathPattern("/**"), demand: .nothing)])
        #expect(await stage.status(stage.question(method: method)) == 403)
        #expect(stage.decisions.last?.outcome == .noRule)
        #expect((stage.decisions.last?.method ?? "").utf8.count <= 34)
    }

    @Test(arguments: ["api.example.com:443", "API.example.com", "api.example.com."])
    func `spellings of the host are the same host`(_ host: String) async throws {
        let stage = try GatewayStage()
        let question = try await stage.honest { $0["X-Forwarded-Host"] = host }
        #expect(await stage.status(question) == 200)
    }

    @Test func `attack: a request that came without TLS is rejected`() async throws {
        let stage = try GatewayStage()
        let question = try await stage.honest { $0["X-Forwarded-Proto"] = "http" }
        #expect(await stage.status(question) == 421)
    }

    @Test func `attack: fields that proxies are not configured to set are not read`() async throws {
        let stage = try GatewayStage()
        let question = stage.question("/payments") { fields in
            for name in ["X-Original-URI", "X-Original-URL", "X-Rewrite-URL", "X_Forwarded_Uri"] {
                fields.append(name: name, value: "/health")
            }
            fields.append(name: "X-Original-Method", value: "GET")
            fields.append(name: "X-Keybound-Subject", value: "root")
        }
        let answer = await stage.engine.respond(to: question)
        #expect(answer.status == 401)
        #expect(answer.fields["X-Keybound-Subject"] == nil)
        #expect(stage.decisions.last?.path == "/payments")
    }

    @Test func `Envoy sends method, host and target as those of the question`() async throws {
        let stage = try GatewayStage()
        let token = try await stage.accessToken()
        let fields: HTTPFields = [
            "Host": "api.example.com", "X-Forwarded-Proto": "https", "Authorization": "DPoP \(token)",
            "DPoP": try await stage.proof("GET", "/notes/1", token),
        ]
        let question = HTTPRequest(target: "/check/envoy/notes/1?x", fields: fields, isFromUnixSocket: true)
        #expect(await stage.status(question) == 200)
        var moved = question
        moved.target = "/check/envoy/payments"
        #expect(await stage.status(moved) == 401)
    }

    @Test func `a kind of proxy that is not configured gets no answer`() async throws {
        let stage = try GatewayStage(proxies: [.nginx])
        #expect(await stage.status(try await stage.honest(path: "/check")) == 404)
        let envoy = try await stage.honest(path: "/check/envoy/notes")
        #expect(await stage.status(envoy) == 404)
        #expect(await stage.status(try await stage.honest(path: "/check/nginx")) == 200)
    }

    /// RFC 9110 section 5.5: such bytes mean nothing to anybody.
    @Test(arguments: [
        "Authorization", "dpop", "Origin", "Access-Control-Request-Method", "X-Request-Id", "traceparent",
    ])
    func `attack: a field that is read and no text is rejected with 400`(_ name: String) async throws {
        let stage = try GatewayStage()
        for target in ["/notes", "/health"] {
            let question = try await stage.honest(target) { $0[name] = HTTPFields.unreadable }
            #expect(await stage.status(question) == 400)
            #expect(stage.decisions.last?.outcome == .unreadableField)
            let nginx = try await stage.honest(target, path: "/check/nginx") { $0[name] = HTTPFields.unreadable }
            let answer = await stage.engine.respond(to: nginx)
            #expect(answer.status == 401)
            #expect(answer.fields["X-Keybound-Status"] == "400")
        }
        #expect(stage.replay.count == 0)
    }

    @Test func `a field that is not read may be no text`() async throws {
        let stage = try GatewayStage()
        for name in ["Referer", "X-Forwarded-For", "Cookie"] {
            #expect(await stage.status(try await stage.honest { $0[name] = HTTPFields.unreadable }) == 200)
        }
    }

    @Test(arguments: [
        ("X-Forwarded-Host", 421), ("X-Forwarded-Proto", 421), ("X-Forwarded-Method", 403), ("X-Forwarded-Uri", 400),
    ])
    func `attack: a part of the request that is no text is rejected`(_ name: String, _ status: Int) async throws {
        let stage = try GatewayStage()
        #expect(await stage.status(try await stage.honest { $0[name] = HTTPFields.unreadable }) == status)
    }

    @Test func `an issuer that does not answer means 503`() async throws {
        let stage = try GatewayStage(keys: NoKeys())
        let answer = await stage.engine.respond(to: try await stage.honest())
        #expect(answer.status == 503)
        #expect(answer.fields["Retry-After"] == "2")
        let nginx = await stage.engine.respond(to: try await stage.honest(path: "/check/nginx"))
        #expect(nginx.status == 401)
        #expect(nginx.fields["X-Keybound-Status"] == "503")
        // What needs no token does not need the issuer.
        #expect(await stage.status(try await stage.honest("/health")) == 200)
        #expect(await stage.status(stage.question()) == 401)
    }
}
