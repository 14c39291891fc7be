// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON
import Synchronization

/// A session at a server on the loopback address that checks nothing.
///
/// So a call costs only the client, URLSession and the socket.
struct ClientScenario {
    let session: OAuthSession
    let request: URLRequest
    let listener: HTTPListener
    private let refreshes: RefreshCount

    /// Makes the server and the session.
    ///
    /// - Parameter isExpired: Whether the first call must refresh.
    /// - Throws: Errors of the listener, a key or the session.
    init(isExpired: Bool) async throws {
        let refreshes = RefreshCount()
        let issuer = RefreshCount.Issuer()
        listener = try HTTPListener(port: 0) { request in Self.answer(request, issuer, refreshes) }
        self.refreshes = refreshes
        let origin = "http://127.0.0.1:\(listener.port)"
        issuer.set(origin)
        guard let url = URL(string: origin + "/api") else { throw BenchmarkError("the address is not a URL") }
        request = URLRequest(url: url)
        session = try await Self.session(issuer: origin, isExpired: isExpired)
    }

    /// How often the tokens were refreshed.
    var refreshCount: Int { refreshes.value }

    private static func session(issuer: String, isExpired: Bool) async throws -> OAuthSession {
        let keys = MemoryKeyStore()
        let client = try OAuth2Client(
            issuer: issuer,
            clientID: "bench",
            configuration: .allowingInsecureHTTPOnLoopback,
            keyStore: keys
        )
        let key = try await keys.loadOrGenerate(alias: KeyAlias("dpop-" + client.account.identifier))
        let tokens = TokenSet(
            accessToken: AccessToken("kba_" + Base64URL.encode(SystemEntropy().bytes(96))),
            tokenType: .dpop,
            expiresAt: SystemWallClock().now() + .seconds(isExpired ? -60 : 3600),
            refreshToken: RefreshToken("kbr_" + Base64URL.encode(SystemEntropy().bytes(32))),
            scope: try Scope(["api"]),
            keyThumbprint: key.publicKey.thumbprint
        )
        return try await client.startSession(with: tokens)
    }

    private static func answer(
        _ request: HTTPRequest,
        _ issuer: RefreshCount.Issuer,
        _ refreshes: RefreshCount
    ) -> HTTPResponse {
        let object: JSONObject
        switch request.target {
        case "/api": object = ["ok": true]
        case "/token":
            refreshes.add()
            object = ["access_token": "kba_new", "token_type": "DPoP", "expires_in": 3600, "refresh_token": "kbr_new"]
        default: object = issuer.metadata
        }
        return HTTPResponse(
            status: 200,
            fields: ["Content-Type": "application/json"],
            body: JSONValue.object(object).encoded()
        )
    }
}

/// Counts the refreshes of a server.
private final class RefreshCount: Sendable {
    /// The metadata of the server, once its port is known.
    final class Issuer: Sendable {
        private let origin = Mutex("")

        func set(_ origin: String) {
            self.origin.withLock { $0 = origin }
        }

        var metadata: JSONObject {
            let origin = origin.withLock { $0 }
            return [
                "issuer": .string(origin), "token_endpoint": .string(origin + "/token"),
                "authorization_endpoint": .string(origin + "/authorize"), "response_types_supported": ["code"],
            ]
        }
    }

    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() {
        count.withLock { $0 += 1 }
    }
}
