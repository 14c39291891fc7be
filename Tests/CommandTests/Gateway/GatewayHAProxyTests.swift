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
}
#endif
