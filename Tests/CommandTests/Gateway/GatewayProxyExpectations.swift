// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

/// What tests with real proxies share.
protocol GatewayProxyExpectations {}

extension GatewayProxyExpectations {
    /// Runs a test with everything started.
    func with(
        _ proxy: Proxy,
        options: [String] = [],
        _ body: (GatewayScene, String) async throws -> Void
    ) async throws {
        let scene = try await GatewayScene(proxy, options: options)
        let gateway = try await scene.startGateway()
        do {
            try await body(scene, try await scene.nonce())
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    /// Runs a test with everything started and a second API, over HTTP/2.
    func withTwoAPIs(
        _ proxy: Proxy,
        options: [String] = [],
        _ body: (GatewayScene, EchoAPI, String) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let second = try await EchoAPI(in: directory)
        let scene = try await GatewayScene(proxy, second: second, options: options, isSecure: true)
        let gateway = try await scene.startGateway()
        do {
            try await body(scene, second, scene.nonceOverHTTP2())
        } catch {
            await scene.stop(gateway)
            await second.stop()
            throw error
        }
        await scene.stop(gateway)
        await second.stop()
    }

    func expectIdentity(_ answer: GatewayScene.Answer, _ comment: Comment) {
        #expect(answer.status == 200, comment)
        #expect(answer.reached == 1, comment)
        let received = answer.received
        #expect(received?.values("X-Keybound-Subject") == ["alice"], comment)
        #expect(received?.values("X-Keybound-Client") == ["app"], comment)
        #expect(received?.values("X-Keybound-Scope") == ["notes:read payments"], comment)
        #expect(received?.values("X-Keybound-Acr") == ["-"], comment)
        #expect(received?.wsgi["HTTP_X_KEYBOUND_SUBJECT"] == "alice", comment)
        #expect(received?.wsgi["HTTP_X_KEYBOUND_SCOPE"] == "notes:read payments", comment)
        for name in ["Authorization", "DPoP", "X-Keybound-Nonce"] { #expect(received?.values(name) == [], comment) }
    }

    /// Refused, and the API was not reached.
    func expectRefusal(_ answer: GatewayScene.Answer, _ statuses: [Int], _ comment: Comment) {
        #expect(statuses.contains(answer.status), "\(comment): \(answer.status)")
        #expect(answer.reached == 0, comment)
        #expect(answer.received == nil, comment)
        #expect(answer.values("WWW-Authenticate").count <= 1, comment)
    }
}
#endif
