// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

/// An API of `Examples/BehindTheGateway`, in a language of its own.
struct GatewayExample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What builds and starts it in a shell; `$PORT` is where it listens.
    let command: String

    static let all = [
        GatewayExample(testDescription: "FastAPI", command: "exec /usr/bin/python3 fastapi/server.py $PORT"),
        GatewayExample(testDescription: "Node", command: "exec node node/server.mjs $PORT"),
        GatewayExample(
            testDescription: "Go",
            command: "go build -o \"$HOME/server\" go/server.go && exec \"$HOME/server\" $PORT"
        ),
    ]

    /// Starts it, and waits until it listens.
    func start(port: UInt16, in directory: TemporaryDirectory) async throws -> ChildProcess {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Examples/BehindTheGateway").standardizedFileURL.path
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", command],
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "PORT": "\(port)",
                "HOME": directory.path, "PYTHONDONTWRITEBYTECODE": "1", "GO111MODULE": "off", "CGO_ENABLED": "0",
            ],
            directory: folder
        )
        // Go compiles its library of HTTP first, which takes minutes on a busy machine.
        for _ in 0..<48_000 {
            if (try? RawConnection(port: port, timeout: 5)) != nil { return process }
            try #require(!process.isSilent, Comment(rawValue: process.errorsSoFar))
            try await Task.sleep(for: .milliseconds(10))
        }
        process.kill()
        throw DoesNotListen(errors: process.errorsSoFar)
    }

    struct DoesNotListen: Error { let errors: String }
}

@Suite("Gateway: the examples in other languages")
struct GatewayExampleTests {
    @Test(.timeLimit(.minutes(10)), arguments: GatewayExample.all)
    func `the API knows who sent a request, and answers to nobody else`(_ example: GatewayExample) async throws {
        let directory = try TemporaryDirectory()
        let upstream = FreePort.next()
        let process = try await example.start(port: upstream, in: directory)
        do {
            let scene = try await GatewayScene(.nginx, upstream: upstream)
            let gateway = try await scene.startGateway()
            do {
                try await expectIdentity(of: scene)
            } catch {
                await scene.stop(gateway)
                throw error
            }
            await scene.stop(gateway)
            try await expectNobody(port: upstream)
        } catch {
            process.kill()
            _ = await process.result()
            throw error
        }
        process.kill()
        _ = await process.result()
    }

    /// Through the proxy: the subject of the token arrives, also one of other bytes, and not one that the client wrote.
    private func expectIdentity(of scene: GatewayScene) async throws {
        let nonce = try await scene.nonce()
        for (subject, written) in [("alice", #""alice""#), ("zo\u{EB}, 100 %", "\"zo\u{EB}, 100 %\""), ("-", #""-""#)] {
            let token = try await scene.issuer.token(for: scene.address) { $0["sub"] = .string(subject) }
            let answer = try await scene.send(
                scene.request(
                    authorization: "DPoP \(token)",
                    fields: ["X-Keybound-Subject: root", "X_Keybound_Subject: root"],
                    nonce: nonce
                )
            )
            #expect(answer.status == 200, "\(subject): \(answer.head)")
            #expect(answer.body.contains(written), "\(answer.body)")
            #expect(!answer.body.contains("root"))
        }
        let nobody = try await scene.send(scene.request(authorization: .some(nil), proof: .some(nil), nonce: nonce))
        #expect(nobody.status == 401)
        #expect(nobody.values("WWW-Authenticate").first?.hasPrefix("DPoP ") ?? false)
    }

    /// As it would be asked if a proxy forgot the field, or a path were open.
    private func expectNobody(port: UInt16) async throws {
        for fields in ["", "X-Keybound-Subject: -\r\n"] {
            let status = try await blocking {
                let connection = try RawConnection(port: port, timeout: 60)
                try connection.send("GET /notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
                return try connection.receive()?.status
            }
            #expect(status == 401)
        }
    }
}
#endif
