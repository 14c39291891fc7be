// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway behind real proxies: streams, large bodies and large heads")
struct GatewayStreamTests: GatewayProxyExpectations {
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `events reach the client while the response goes on`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let request = try await scene.request("/notes/events", nonce: nonce)
            let (port, directory) = (scene.port, scene.directory)
            let (first, rest) = try await blocking {
                let connection = try RawConnection(port: port, timeout: 25)
                try connection.send(request)
                let first = try connection.received(until: "data: one")
                // The API ends the response only now; it does not wait for ever.
                try directory.write("", to: "release")
                return (first, try connection.receiveAll())
            }
            #expect(first.hasPrefix("HTTP/1.1 200 "))
            #expect(rest.contains("data: released"))
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `compressed bodies stay as they are`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let request = try await scene.request("/notes/gzip", fields: ["Accept-Encoding: gzip"], nonce: nonce)
            let response = try await blocking { [port = scene.port] in
                let connection = try RawConnection(port: port, timeout: 25)
                try connection.send(request)
                return try connection.receive()
            }
            #expect(response?.field("Content-Encoding") == "gzip")
            let sent = try Data(contentsOf: URL(fileURLWithPath: scene.directory.path + "/packed"))
            #expect(response?.body == Array(sent))
            // What the API did not compress, the proxy does not either: its length would tell what a secret in it is.
            let plain = try await scene.send(scene.request(fields: ["Accept-Encoding: gzip"], nonce: nonce))
            expectIdentity(plain, "not compressed")
            #expect(plain.values("Content-Encoding") == [])
            let token = try await scene.issuer.token(for: scene.address) { $0["scope"] = "notes:write" }
            let posted = try await scene.send(
                scene.request(
                    method: "POST",
                    authorization: "DPoP \(token)",
                    fields: ["Content-Encoding: gzip"],
                    nonce: nonce,
                    body: "not really"
                )
            )
            #expect(posted.received?.values("Content-Encoding") == ["gzip"])
            #expect(posted.received?.body == 10)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `the API reads a large upload while the client still sends it`(_ proxy: Proxy) async throws {
        let (size, part) = (24 << 20, 2 << 20)
        try await with(proxy) { scene, nonce in
            let token = try await scene.issuer.token(for: scene.address) { $0["scope"] = "notes:write" }
            let head = try await scene.request(
                method: "POST",
                authorization: "DPoP \(token)",
                fields: ["Content-Length: \(size)"],
                nonce: nonce
            )
            let (port, begun) = (scene.port, scene.directory.path + "/begun")
            let (hasBegun, response) = try await blocking {
                let connection = try RawConnection(port: port, timeout: 25)
                let bytes = [UInt8](repeating: 0x79, count: part)
                try connection.send(head + bytes)
                for _ in 0..<3000 where !FileManager.default.fileExists(atPath: begun) {
                    Thread.sleep(forTimeInterval: 0.01)
                }
                let hasBegun = FileManager.default.fileExists(atPath: begun)
                for _ in 1..<(size / part) { try connection.send(bytes) }
                return (hasBegun, try connection.receive())
            }
            #expect(hasBegun)
            #expect(response?.status == 200)
            #expect(response?.text.contains("\"body\": \(size)") ?? false)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: a token of 16 KiB, and 200 fields`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let long = try await scene.issuer.token(for: scene.address) {
                $0["padding"] = .string(String(repeating: "x", count: 12_000))
            }
            #expect(long.utf8.count > 16_000)
            let token = try await scene.send(scene.request(authorization: "DPoP \(long)", nonce: nonce))
            expectRefusal(token, [400, 401, 431], "a token of 16 KiB")
            // The last ones must not get past whatever the proxy takes off.
            let last = ["X-Keybound-Subject: root", "X_Keybound_Scope: admin", "X-Forwarded-Uri: /health"]
            let fields = (0..<200).map { "X-Filler-\($0): \($0)" } + last
            let many = try await scene.send(scene.request(fields: fields, nonce: nonce))
            if many.status == 200 {
                expectIdentity(many, "200 fields")
            } else {
                expectRefusal(many, [400, 431], "200 fields")
            }
            let nobody = try await scene.send(
                scene.request("/payments", authorization: .some(nil), proof: .some(nil), fields: fields, nonce: nonce)
            )
            expectRefusal(nobody, [400, 401, 431], "200 fields without a token")
        }
    }
}
#endif
