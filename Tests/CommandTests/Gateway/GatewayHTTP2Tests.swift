// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@Suite("Gateway behind real proxies: HTTP/2 over TLS")
struct GatewayHTTP2Tests: GatewayProxyExpectations {
    private static let host = "api.example.com"

    /// A request, and the statuses with which it may be refused; 0 is a closed stream or connection.
    private struct Attempt {
        let name: String
        let fields: [HTTP2Client.Field]
        let refusals: [Int]
        /// Whether it may also pass, as the true user.
        var mayPass = false
    }

    private func replacing(
        _ name: String,
        _ value: String?,
        in fields: [HTTP2Client.Field]
    ) -> [HTTP2Client.Field] {
        fields.compactMap { field in
            guard field.name == name else { return field }
            return value.map { (name, $0) }
        }
    }

    private func with(_ proxy: Proxy, _ body: (GatewayScene, String) async throws -> Void) async throws {
        let scene = try await GatewayScene(proxy, isSecure: true)
        let gateway = try await scene.startGateway()
        do {
            try await body(scene, scene.nonceOverHTTP2())
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    private func expect(_ attempts: [Attempt], at scene: GatewayScene) async throws {
        let before = scene.api.requests
        let answers = try await HTTP2Client.send(attempts.map(\.fields), to: scene)
        for (attempt, answer) in zip(attempts, answers) {
            let comment = Comment(rawValue: attempt.name)
            if attempt.mayPass, answer.status == 200 {
                expectIdentity(answer, comment)
                #expect(answer.received?.values("Host").allSatisfy { $0.hasPrefix(Self.host) } ?? false, comment)
            } else {
                expectRefusal(answer, attempt.refusals, comment)
            }
        }
        #expect(scene.api.requests - before == answers.count { $0.status == 200 })
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: the host is that of the authority, and another one beside it changes nothing`(
        _ proxy: Proxy
    ) async throws {
        try await with(proxy) { scene, nonce in
            let accepted = try await HTTP2Client.send([scene.fields(nonce: nonce)], to: scene)[0]
            expectIdentity(accepted, "a good request")
            let mine: HTTP2Client.Field = ("host", "\(Self.host):\(scene.port)")
            let evil: HTTP2Client.Field = ("host", "evil.test")
            func attempt(
                _ name: String,
                authority: String?,
                _ more: [HTTP2Client.Field],
                mayPass: Bool = false
            )
                async throws -> Attempt
            {
                var fields = try await scene.fields(nonce: nonce)
                if authority != Self.host { fields = replacing(":authority", authority, in: fields) }
                return Attempt(
                    name: name,
                    fields: fields + more,
                    refusals: [0, 400, proxy.facts.otherHost],
                    mayPass: mayPass
                )
            }
            try await expect(
                [
                    attempt("another authority", authority: "evil.test", []),
                    attempt("another authority, the right host", authority: "evil.test", [mine]),
                    attempt("the right authority, another host", authority: Self.host, [evil], mayPass: true),
                    attempt("the right host alone", authority: nil, [mine], mayPass: true),
                    attempt("another host alone", authority: nil, [evil]),
                    attempt("two hosts alone", authority: nil, [mine, evil], mayPass: true),
                    attempt("no host", authority: nil, []), attempt("an empty authority", authority: "", []),
                ],
                at: scene
            )
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: what HTTP/2 forbids is rejected, or passes without what is forbidden`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let absolute = "\(scene.address)/notes"
            var attempts: [Attempt] = []
            let others = ["notes", "", "*", "//evil.test/notes", "/notes /payments", "/notes#x"]
            for path in others + [absolute, "https://evil.test/notes", "https://evil.test/payments"] {
                let fields = replacing(":path", path, in: try await scene.fields(nonce: nonce))
                attempts.append(
                    Attempt(
                        name: ":path \(path)",
                        fields: fields,
                        refusals: [0, 400, 401, 403, proxy.facts.otherHost],
                        // As the path alone.
                        mayPass: path.hasPrefix("https:") && path.hasSuffix("/notes")
                    )
                )
            }
            // RFC 9113 sections 8.2 and 8.3.
            let additions: [(String, HTTP2Client.Field, Bool)] = [
                ("two paths", (":path", "/payments"), false), ("two methods", (":method", "POST"), false),
                ("an unknown pseudo-field", (":root", "1"), false),
                ("connection", ("connection", "x-keybound-subject"), true),
                ("transfer-encoding", ("transfer-encoding", "chunked"), true),
                ("capitals", ("X-Keybound-Subject", "root"), true),
                ("a line break in a value", ("x-a", "1\r\nx-keybound-subject: root"), true),
                ("a line feed in a value", ("x-a", "1\nx-keybound-subject: root"), true),
                ("a zero byte in a value", ("x-a", "1\0"), true),
                ("a line break in a name", ("x-a: 1\r\nx-keybound-subject", "root"), true),
                ("a space in a name", ("x-keybound-subject ", "root"), true),
                ("a colon in a name", ("x-keybound-subject:", "root"), true),
                ("an identity field", ("x-keybound-subject", "root"), true),
                ("an identity field with underscores", ("x_keybound_subject", "root"), true),
                ("a second proof", ("dpop", "a.b.c"), false), ("a second token", ("authorization", "DPoP x"), false),
            ]
            for (name, field, mayPass) in additions {
                attempts.append(
                    Attempt(
                        name: name,
                        fields: try await scene.fields(nonce: nonce) + [field],
                        refusals: [0, 400, 401],
                        mayPass: mayPass
                    )
                )
            }
            try await expect(attempts, at: scene)
        }
    }
}
#endif
