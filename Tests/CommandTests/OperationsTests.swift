// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@Suite("keybound serve: logs, limits, monitoring")
struct OperationsTests {
    /// A server that says everything it can say, and a client that is registered there.
    private struct Served {
        let directory: TemporaryDirectory
        let issuer: String
        let metrics: String
        let process: KeyboundProcess

        init(_ options: [String] = []) async throws {
            directory = try TemporaryDirectory()
            let port = FreePort.next()
            issuer = "http://127.0.0.1:\(port)"
            try directory.write(#"{ "auditLog": "audit.log", "logFormat": "json", "logLevel": "info" }"#, to: "k.json")
            let added = try await KeyboundProcess.run(
                [
                    "client", "add", "--id", "app", "--redirect-uri", "http://127.0.0.1/callback", "--scope",
                    "notes:read", "--config", "k.json",
                ],
                in: directory
            )
            try #require(added.status == 0, Comment(rawValue: added.errors))
            process = try KeyboundProcess(
                ServedIssuer.arguments(port: port, listen: port)
                    + ["--unencrypted-key-file", "--config", "k.json", "--metrics-listen", "127.0.0.1:0"] + options,
                in: directory
            )
            metrics = String(try await process.line(beginningWith: "metrics").split(separator: " ")[1])
            _ = try await process.line(beginningWith: "protected")
        }

        func send(
            _ method: String = "GET",
            _ path: String,
            _ fields: HTTPFields = [:],
            body: String = ""
        ) async throws -> HTTPResponse {
            var fields = fields
            if !body.isEmpty { fields["Content-Type"] = "application/x-www-form-urlencoded" }
            return try await PlatformTransport().send(
                HTTPRequest(method: method, target: issuer + path, fields: fields, body: Array(body.utf8)),
                maximumBodySize: 1 << 20
            )
        }

        func metricsText() async throws -> String {
            let response = try await PlatformTransport().send(HTTPRequest(target: metrics), maximumBodySize: 1 << 20)
            #expect(response.status == 200)
            return String(decoding: response.body, as: UTF8.self)
        }

        /// Stops it; what it logged, object by object.
        func log() async throws -> [JSONObject] {
            process.terminate()
            let result = await process.result()
            #expect(result.status == 0)
            return try objects(result.errors)
        }

        func audit() throws -> [JSONObject] {
            try objects(String(contentsOfFile: directory.path + "/audit.log", encoding: .utf8))
        }

        private func objects(_ text: String) throws -> [JSONObject] {
            try text.split(separator: "\n").map { line in
                try #require(try JSONValue(parsing: Array(line.utf8)).objectValue, "\(line)")
            }
        }
    }

    /// One push, from an address that the proxy in front names.
    private static func push(
        _ served: Served,
        from address: String? = nil,
        more: String = ""
    ) async throws -> HTTPResponse {
        let challenge = CodeChallengeText.next()
        return try await served.send(
            "POST",
            "/par",
            address.map { ["X-Forwarded-For": $0] } ?? [:],
            body: "client_id=app&response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=notes%3Aread"
                + "&state=s&code_challenge_method=S256&code_challenge=\(challenge)" + more
        )
    }

    private enum CodeChallengeText {
        static func next() -> String { Base64URL.encode(SystemEntropy().bytes(32)) }
    }

    @Test func `every request is one JSON object with its name, and the answer has the name too`() async throws {
        let served = try await Served()
        let given = try await served.send("GET", "/jwks?a=b", ["X-Request-Id": "from-the.proxy_1~"])
        #expect(given.fields["X-Request-Id"] == "from-the.proxy_1~")
        var own: Set<String> = []
        for bad in ["two words", String(repeating: "a", count: 65), "new\"line", ""] {
            let answer = try await served.send("GET", "/jwks", bad.isEmpty ? [:] : ["X-Request-Id": bad])
            own.insert(try #require(answer.fields["X-Request-Id"]))
        }
        #expect(own.count == 4 && own.allSatisfy { $0.utf8.count == 22 })
        #expect(try await Self.push(served, from: "203.0.113.9").status == 201)
        let requests = try await served.log().filter { $0["message"]?.stringValue == "request" }
        #expect(requests.count == 6)
        let first = try #require(requests.first)
        #expect(
            first.members.map(\.name).sorted() == [
                "address", "duration_us", "level", "message", "method", "path", "request_id", "status", "time",
            ]
        )
        #expect(first["request_id"]?.stringValue == "from-the.proxy_1~" && first["path"]?.stringValue == "/jwks")
        #expect(Set(requests[1...4].compactMap { $0["request_id"]?.stringValue }) == own)
        let last = try #require(requests.last)
        #expect(last["client_id"]?.stringValue == "app" && last["address"]?.stringValue == "203.0.113.9")
    }

    @Test func `a request and its audit events name the trace that the proxy passes on`() async throws {
        let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        let served = try await Served()
        for value in ["00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)"] {
            _ = try await served.send("POST", "/token", ["traceparent": value], body: "grant_type=authorization_code")
        }
        let requests = try await served.log().filter { $0["message"]?.stringValue == "request" }
        #expect(requests.map { $0["trace_id"]?.stringValue } == [trace, nil])
        let events = try served.audit().filter { $0["event"]?.stringValue == "request_refused" }
        #expect(events.map { $0["trace_id"]?.stringValue } == [trace, nil])
    }

    @Test func `attack: who is no trusted proxy names no trace`() async throws {
        let served = try await Served(["--trusted-proxy", "none"])
        _ = try await served.send(
            "GET",
            "/jwks",
            ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
        )
        let requests = try await served.log().filter { $0["message"]?.stringValue == "request" }
        #expect(requests.count == 1 && requests[0]["trace_id"] == nil)
    }

    #if os(Linux)
    @Test func `one address has a share of the connections, and nobody sends chunks`() async throws {
        let served = try await Served(["--trusted-proxy", "none", "--connections-per-peer", "2"])
        let port = try #require(served.issuer.split(separator: ":").last.flatMap { UInt16($0) })
        let answers = try await blocking {
            let connections = try (0..<3).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send("GET /jwks HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.receive()
                return connection
            }
            try connections[2].send("POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\n\n")
            return try connections[2].receiveAll()
        }
        #expect(answers.hasPrefix("HTTP/1.1 411 "))
        let metrics = try await served.metricsText()
        #expect(metrics.contains("keybound_connections_cut_total{reason=\"peer\"} 1\n"))
        #expect(metrics.contains("keybound_connections_cut_total{reason=\"head\"} 0\n"))
        served.process.terminate()
        #expect(await served.process.result().status == 0)
    }

    @Test(arguments: [
        ["--connections", "0"], ["--connections", "many"], ["--connections-per-peer", "-1"],
        ["--password-threads", "0"],
    ])
    func `a limit is a number from 1 on`(options: [String]) async throws {
        let directory = try TemporaryDirectory()
        let issuer = ServedIssuer.arguments(port: 1, listen: 0)
        for check in [[], ["--check"]] {
            let words = issuer + ["--unencrypted-key-file"] + options + check
            let result = try await KeyboundProcess.run(words, in: directory)
            #expect(result.status == 2)
            #expect(result.errors.contains("\(options[0]) is not a number from 1 on"))
        }
    }
    #endif

    @Test func `no log, audit event or metric repeats what was sent`() async throws {
        let served = try await Served(["--audit-log", "stderr"])
        let secret = "kbr_SECRET-that-must-not-be-seen-0123456789"
        let form = [
            "client_id", "code", "refresh_token", "token", "client_secret", "username", "password", "request", "state",
            "code_verifier",
        ]
        .map { "\($0)=\(secret)" }.joined(separator: "&")
        for path in [
            "/token", "/par", "/revoke", "/login", "/consent", "/authorize", "/logout", "/nowhere", "/\(secret)",
        ] {
            for grant in ["authorization_code", "refresh_token", secret] {
                _ = try await served.send(
                    "POST",
                    "\(path)?code=\(secret)",
                    [
                        "Authorization": "DPoP \(secret)", "DPoP": secret, "Cookie": "keybound=\(secret)",
                        "Origin": "https://\(secret).example", "User-Agent": secret, "X-Forwarded-For": secret,
                    ],
                    body: "\(form)&grant_type=\(grant)"
                )
            }
            _ = try await served.send("GET", "\(path)?client_id=\(secret)&code=\(secret)")
        }
        _ = try await Self.push(served, more: "&login_hint=\(secret)")
        let port = try #require(UInt16(served.issuer.split(separator: ":").last ?? ""))
        _ = try await converse(port, "\(secret) /token HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let metrics = try await served.metricsText()
        served.process.terminate()
        let result = await served.process.result()
        let requests = result.errors.split(separator: "\n").filter { $0.contains(#""message":"request""#) }
        #expect(requests.count > 30)
        #expect(result.errors.contains(#""event":"request_refused""#))
        for text in [result.errors, result.output, metrics] { #expect(!text.contains("SECRET")) }
    }

    @Test func `limits hold over the wire by what the proxy says, and are counted`() async throws {
        let served = try await Served(["--authorization-request-limit", "3/1h"])
        var answers: [Int] = []
        for number in 0..<4 {
            answers.append(try await Self.push(served, from: "10.0.0.\(number), 203.0.113.9").status)
        }
        #expect(answers == [201, 201, 201, 429])
        #expect(try await Self.push(served, from: "203.0.113.10").status == 201)
        let metrics = try await served.metricsText()
        #expect(metrics.contains("keybound_limits_reached_total{limit=\"authorization requests of an address\"} 1\n"))
        #expect(metrics.contains("keybound_http_requests_total{endpoint=\"/par\",method=\"POST\",status=\"201\"} 4\n"))
        #expect(metrics.contains("keybound_http_request_duration_seconds_count{endpoint=\"/par\"} 5\n"))
        _ = try await served.log()
        let event = try #require(try served.audit().last)
        #expect(event["event"]?.stringValue == "limit_reached" && event["address"]?.stringValue == "203.0.113.9")
    }

    @Test func `audit events that a full disk does not take are counted, and the server goes on`() async throws {
        let served = try await Served(["--authorization-request-limit", "1/1h", "--audit-log", "/dev/full"])
        for status in [201, 429] { #expect(try await Self.push(served, from: "203.0.113.9").status == status) }
        var lost = 0
        for _ in 0..<3000 where lost == 0 {
            let line = try await served.metricsText().split(separator: "\n")
                .first { $0.hasPrefix("keybound_log_lines_lost_total ") }
            lost = try Int(#require(line).split(separator: " ")[1]) ?? 0
            if lost == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(lost > 0)
        let warnings = try await served.log().compactMap { $0["message"]?.stringValue }
        #expect(warnings.contains { $0.contains("audit events were not written") && $0.contains("no space left") })
    }

    @Test func `metrics are of this process, and are not where clients are`() async throws {
        let served = try await Served()
        #expect(try await served.send("GET", "/metrics").status == 404)
        let metrics = try await served.metricsText()
        for name in [
            "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds",
            "process_cpu_seconds_total",
            "keybound_storage_waiting_writes", "keybound_replay_store_proofs", "keybound_log_lines_lost_total",
        ] {
            let line = try #require(metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }, "\(name)")
            let value = try #require(Double(line.dropFirst(name.count + 1)))
            #expect(value >= 0)
        }
        #expect(metrics.hasSuffix("\n"))
        _ = try await served.log()
    }

    @Test func `what an operator did is in the audit log`() async throws {
        let served = try await Served()
        _ = try await served.log()
        let event = try #require(try served.audit().first)
        #expect(event["event"]?.stringValue == "client_added" && event["client_id"]?.stringValue == "app")
        #expect(event["detail"]?.stringValue == "uid \(getuid())")
    }

    @Test func `is ready until it is told to stop, and answers until it stops`() async throws {
        // What is asked below is asked meanwhile, also on a busy machine.
        let served = try await Served(["--drain-delay", "10s"])
        #expect(try await served.send("GET", "/health").status == 200)
        #expect(try await served.send("GET", "/ready").status == 200)
        #expect(try await served.send("POST", "/ready", body: "a=b").status == 405)
        served.process.terminate()
        _ = try await served.process.errorLine(beginningWith: #"{"time""#)
        var status = 200
        while status == 200 { status = try await served.send("GET", "/ready").status }
        #expect(status == 503)
        #expect(try await served.send("GET", "/health").status == 200)
        #expect(try await served.send("GET", "/jwks").status == 200)
        let result = await served.process.result()
        #expect(result.status == 0 && result.errors.hasSuffix("\"message\":\"stopped\"}\n"))
    }

    /// The commands of accounts and of attesters read it.
    @Test func `the variable that names a TPM is no mistake`() async throws {
        let result = try await KeyboundProcess.run(
            ["serve", "--issuer", "https://a.example", "--data-directory", ".", "--unencrypted-key-file", "--check"],
            in: TemporaryDirectory(),
            environment: ["KEYBOUND_TPM": "swtpm:port=2321"]
        )
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(arguments: [
        (
            ["KEYBOUND_NONCE_POLICI": "off"],
            "$KEYBOUND_NONCE_POLICI is not a setting\nhint: did you mean $KEYBOUND_NONCE_POLICY?"
        ),
        (["KEYBOUND_LOG_FORMAT": "xml"], "$KEYBOUND_LOG_FORMAT must be one of text, json"),
        (["KEYBOUND_TRUSTED_PROXY": "10.0.0.1/8"], "$KEYBOUND_TRUSTED_PROXY has a value that is not an address range"),
        (["KEYBOUND_LOGIN_LIMIT": "10"], "$KEYBOUND_LOGIN_LIMIT is not a limit"),
        (["KEYBOUND_TOKEN_LIMIT": "10/0s"], "$KEYBOUND_TOKEN_LIMIT is not a limit"),
        (["KEYBOUND_FORWARDED_FIELD": "X-Real-IP"], "$KEYBOUND_FORWARDED_FIELD is neither"),
        (["KEYBOUND_METRICS_LISTEN": "9090"], "$KEYBOUND_METRICS_LISTEN is not an address and a port"),
    ])
    func `a variable that is wrong is rejected by its name`(environment: [String: String], message: String) async throws
    {
        let arguments = ["serve", "--issuer", "https://a.example", "--check"]
        let result = try await KeyboundProcess.run(arguments, in: TemporaryDirectory(), environment: environment)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("keybound: " + message), "\(result.errors)")
    }

    @Test func `variables that set everything are taken, and those of Kubernetes are nobody's business`() async throws {
        let environment = [
            "KEYBOUND_ISSUER": "https://a.example", "KEYBOUND_TRUSTED_PROXY": "10.0.0.0/8, ::1",
            "KEYBOUND_LOGIN_LIMIT": "off",
            "KEYBOUND_TOKEN_LIMIT": "5/1s", "KEYBOUND_FORWARDED_FIELD": "forwarded", "KEYBOUND_LOG_LEVEL": "info",
            "KEYBOUND_PORT_8080_TCP": "tcp://10.0.0.1:8080", "KEYBOUND_SERVICE_HOST": "10.0.0.1",
        ]
        let result = try await KeyboundProcess.run(
            ["serve", "--check"],
            in: TemporaryDirectory(),
            environment: environment
        )
        #expect(result.status == 0, "\(result.errors)")
    }
}
