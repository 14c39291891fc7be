// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Gateway: HAProxy alone")
struct GatewayHAProxyTests: GatewayProxyExpectations {
    /// After its start HAProxy has this group and no other; without the lines it stays root.
    @Test(arguments: [("unix:/run/keybound/gateway.sock", "keybound"), ("127.0.0.1:8085", "haproxy")])
    func `it does not run as root, and in the group of the gateway's socket`(
        _ gateway: String,
        _ group: String
    ) async throws {
        let result = try await KeyboundProcess.run(
            ["gateway", "config", "haproxy", "--gateway", gateway],
            in: try TemporaryDirectory()
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("\n    user haproxy\n"))
        #expect(result.output.contains("\n    group \(group)\n"))
        #expect(!result.output.contains("\n    chroot"))
    }

    /// Before 2.9 HAProxy cannot be kept from asking again; the client waits 18 seconds, and all of it takes five.
    @Test(.timeLimit(.minutes(2)))
    func `attack: while the gateway does not answer, a client gets 503 before it gives up`() async throws {
        let scene = try await GatewayScene(.haproxy)
        let gateway = try await SilentGateway(in: scene.directory)
        let answer = try await scene.send(scene.request("/health", nonce: nil))
        expectRefusal(answer, [503], "no answer")
        #expect(answer.values("Retry-After") == ["2"])
        #expect(answer.values("Cache-Control") == ["no-store"])
        #expect((1...4).contains(gateway.questions))
        await gateway.stop()
        await scene.stop(nil)
    }
}
#endif
