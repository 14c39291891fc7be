// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@Suite("keybound serve")
struct ServeTests {
    @Test func `starts, answers, and stops in order on SIGTERM`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ServedIssuer(in: directory)
        let response = try await PlatformTransport().send(
            HTTPRequest(target: server.issuer + "/.well-known/oauth-authorization-server"),
            maximumBodySize: 65_536
        )
        #expect(response.status == 200)
        let metadata = try JSONValue(parsing: response.body).objectValue
        #expect(metadata?["issuer"]?.stringValue == server.issuer)
        let result = await server.stop()
        #expect(result.status == 0)
        #expect(result.errors.contains("SIGTERM: finishing the requests in progress, for at most 10s"))
        #expect(result.errors.hasSuffix("Z stopped\n"))
        #expect(!result.errors.contains("warning"))
    }

    @Test func `the journal adds the time to a line itself`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ServedIssuer(
            in: directory,
            options: ["--unencrypted-key-file"],
            through: #"export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); exec "$@""#
        )
        let errors = await server.stop().errors
        #expect(errors.hasSuffix("\nstopped\n"), "\(errors)")
        #expect(errors.hasPrefix("warning: the signing key") || errors.contains("\nwarning: the signing key"))
    }

    @Test func `says one fact a line, and that a key is in clear`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ServedIssuer(in: directory, options: ["--unencrypted-key-file"])
        let result = await server.stop()
        let facts = result.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        #expect(facts == ["issuer", "listening", "database", "key", "signatures", "protected"])
        #expect(result.output.contains("protected  NOT ENCRYPTED\n"))
        #expect(result.errors.contains("warning: the signing key is not encrypted"))
    }

    /// With the options of this start, not with the settings of another one.
    @Test func `names settings that specifications advise against, and the command that says why`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ServedIssuer(
            in: directory,
            options: ["--unencrypted-key-file", "--allow-bearer-tokens"]
        )
        let errors = await server.stop().errors
        let line = try #require(errors.split(separator: "\n").first { $0.contains("specifications advise against") })
        #expect(line.contains("allowBearerTokens"))
        #expect(line.hasSuffix("; the same command with --check says why"))
    }

    @Test(.timeLimit(.minutes(2))) func `clients cannot take the last file descriptor`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await ServedIssuer(in: directory, through: #"ulimit -n 128; exec "$@""#)
        let port = try #require(UInt16(server.issuer.split(separator: ":").last ?? ""))
        let request = "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        let answered = try await blocking {
            let connections = try (0..<200).map { _ in
                let connection = try RawConnection(port: port)
                try connection.send(request)
                return connection
            }
            // Those beyond the limit wait until one before them closes.
            return try connections.count { connection in
                defer { connection.close() }
                return try connection.receive()?.status == 200
            }
        }
        #expect(answered == 200)
        let result = await server.stop()
        #expect(result.status == 0)
        let warning = try #require(result.errors.firstMatch(of: /warning: at most (\d+) connections at once/))
        #expect((1...64).contains(try #require(Int(warning.1))))
    }

    @Test func `several that start at the same time make one key`() async throws {
        let directory = try TemporaryDirectory()
        let port = FreePort.next()
        let processes = try (0..<4).map { _ in
            try KeyboundProcess(
                ServedIssuer.arguments(port: port, listen: 0) + ["--unencrypted-key-file", "--json"],
                in: directory
            )
        }
        var thumbprints: Set<String> = []
        for process in processes {
            _ = try await process.line(beginningWith: "}")
            process.terminate()
            let output = await process.result().output
            let facts = try JSONValue(parsing: Array(output.utf8)).objectValue
            thumbprints.insert(try #require(facts?["jkt"]?.stringValue))
        }
        #expect(thumbprints.count == 1)
    }

    @Test func `keeps its key from start to start, and opens it with the same credential only`() async throws {
        let directory = try TemporaryDirectory()
        let first = try await ServedIssuer(in: directory).stop()
        let second = try await ServedIssuer(in: directory).stop()
        func key(_ result: KeyboundProcess.Result) -> Substring? {
            result.output.split(separator: "\n").first { $0.hasPrefix("key ") }
        }
        #expect(key(first) != nil)
        #expect(key(first) == key(second))
        try directory.write(Data(SystemEntropy().bytes(32)), to: "other")
        let arguments = ServedIssuer.arguments(port: 1, listen: 0) + ["--key-credential-file", "other"]
        let refused = try await KeyboundProcess.run(arguments, in: directory)
        #expect(refused.status == 5)
        #expect(refused.errors.hasPrefix("keybound: the passphrase or credential does not open the key file\n"))
    }

    @Test func `with the scope openid it makes a key for id_tokens once, and publishes it`() async throws {
        let directory = try TemporaryDirectory()
        let options = ["--key-credential-file", "credential", "--scope", "openid"]
        try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        var keys: Set<String> = []
        for _ in 1...2 {
            let server = try await ServedIssuer(in: directory, options: options)
            let metadata = try await object(at: server.issuer + "/.well-known/openid-configuration")
            #expect(metadata["id_token_signing_alg_values_supported"] == ["RS256", "ES256"])
            let published = try await object(at: server.issuer + "/jwks")["keys"]?.arrayValue ?? []
            #expect(published.compactMap { $0.objectValue?["alg"]?.stringValue } == ["ES256", "RS256"])
            // 3072 bits, the first of which is set: RFC 7518 section 6.3.1.1 allows no octets before it.
            let modulus = try Base64URL.decode(#require(published.last?.objectValue?["n"]?.stringValue))
            #expect(modulus.count == 384 && modulus[0] >= 0x80)
            let output = await server.stop().output
            keys.insert(String(try #require(output.split(separator: "\n").first { $0.hasPrefix("id_tokens ") })))
        }
        #expect(keys.count == 1)
        #expect(keys.first?.hasSuffix(", RS256") == true)
    }

    private func object(at url: String) async throws -> JSONObject {
        let response = try await PlatformTransport().send(HTTPRequest(target: url), maximumBodySize: 65_536)
        #expect(response.status == 200)
        return try #require(try JSONValue(parsing: response.body).objectValue)
    }

    @Test func `every response of a server with an https issuer says to use TLS, also those of the listener`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let server = try KeyboundProcess(
            ["serve", "--issuer", "https://auth.example.com", "--listen", "127.0.0.1:0", "--unencrypted-key-file"],
            in: directory
        )
        let line = try await server.line(beginningWith: "listening")
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let requests = [
            "GET /jwks HTTP/1.1\r\nHost: a\r\n", "GET /health HTTP/1.1\r\nHost: a\r\n",
            "GET /ready HTTP/1.1\r\nHost: a\r\n",
            "GET /nothing HTTP/1.1\r\nHost: a\r\n", "GET /jwks HTTP/1.1\r\nHost: a b\r\n",
            "POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n",
            "POST /token HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n",
        ]
        for request in requests {
            let answer = try await converse(port, request + "Connection: close\r\n\r\n")
            #expect(answer.contains("\r\nStrict-Transport-Security: max-age=31536000\r\n"), "\(request)\n\(answer)")
        }
        server.terminate()
        _ = await server.result()
    }

    @Test func `a port that is taken is said, with exit code 3`() async throws {
        let listener = try HTTPListener(port: 0) { _ in HTTPResponse(status: 404) }
        let arguments = ServedIssuer.arguments(port: listener.port, listen: listener.port) + ["--unencrypted-key-file"]
        let result = try await KeyboundProcess.run(arguments, in: TemporaryDirectory())
        #expect(result.status == 3)
        #expect(result.errors.hasPrefix("keybound: cannot listen on 127.0.0.1 port \(listener.port)"))
        await listener.stop(draining: .zero)
    }

    @Test func `settings come from the environment too, before the file`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(#"{ "issuer": "https://file.example", "noncePolicy": "off" }"#, to: "keybound.json")
        let environment = ["KEYBOUND_CONFIG": "keybound.json", "KEYBOUND_NONCE_POLICY": "wrong"]
        let result = try await KeyboundProcess.run(["serve", "--check"], in: directory, environment: environment)
        #expect(result.status == 2)
        #expect(result.errors == "keybound: $KEYBOUND_NONCE_POLICY must be required, on-skew or off\n")
    }
}
