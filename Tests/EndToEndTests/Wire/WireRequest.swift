// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import PKCE
import TestSupport

/// Where a proof can be sent to.
enum WireEndpoint: CaseIterable, Sendable {
    /// The token endpoint, with an authorization code.
    case code
    /// The token endpoint, with a refresh token.
    case refresh
    /// The pushed authorization request endpoint.
    case pushed
    /// The API.
    case api

    var path: String {
        switch self {
        case .code, .refresh: "/token"
        case .pushed: "/par"
        case .api: "/me"
        }
    }

    var method: String { self == .api ? "GET" : "POST" }
    var uri: String { (self == .api ? WireServers.address : WireServers.issuer) + path }
}

/// A request as it goes over the wire, byte by byte: fields may come twice, in any spelling, with any value.
struct WireRequest: Sendable {
    let endpoint: WireEndpoint
    /// What stands in the request line.
    var target: String
    /// Everything but `Content-Length`.
    var fields: [(name: String, value: String)]
    var body = ""

    /// A request that lacks nothing but its proof.
    init(_ endpoint: WireEndpoint, _ grant: WireGrant) {
        self.endpoint = endpoint
        target = endpoint.path
        fields = [("Host", endpoint == .api ? "api.example.com" : "auth.example.com"), ("Connection", "close")]
        let client: FormParameters
        switch endpoint {
        case .code:
            client = [
                "grant_type": "authorization_code", "client_id": "app", "code": grant.code,
                "redirect_uri": WireServers.redirectURI, "code_verifier": grant.verifier,
            ]
        case .refresh:
            client = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": grant.refreshToken]
        case .pushed:
            let challenge = CodeVerifier().s256Challenge.value
            client = [
                "response_type": "code", "client_id": "app", "redirect_uri": WireServers.redirectURI,
                "scope": "api:read", "code_challenge": challenge, "code_challenge_method": "S256",
            ]
        case .api:
            fields.append(("Authorization", "DPoP \(grant.accessToken)"))
            return
        }
        body = client.encoded()
        fields.append(("Content-Type", "application/x-www-form-urlencoded"))
    }

    /// The same request with these values of `DPoP` fields.
    func with(_ proofs: [String]) -> WireRequest {
        var request = self
        request.fields += proofs.map { ("DPoP", $0) }
        return request
    }

    /// The same request with another value of a field, or a further field.
    func setting(_ name: String, _ value: String) -> WireRequest {
        var request = self
        request.fields.removeAll { $0.name == name }
        request.fields.append((name, value))
        return request
    }

    /// Whether HTTP can carry the values: white space around a value is not part of it.
    static func canCarry(_ values: [String]) -> Bool {
        values.allSatisfy { value in
            value.utf8.allSatisfy { (0x20...0x7E).contains($0) } && value.first != " " && value.last != " "
        }
    }

    var text: String {
        var lines = fields.map { "\($0.name): \($0.value)" }
        if endpoint != .api { lines.append("Content-Length: \(body.utf8.count)") }
        return "\(endpoint.method) \(target) HTTP/1.1\r\n" + lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

extension RawResponse {
    /// The code of the error, in the body or in the challenge.
    var error: String? {
        for text in [text, field("WWW-Authenticate") ?? ""] {
            for mark in [#""error":""#, #"error=""#] {
                if let range = text.firstRange(of: mark) {
                    return String(text[range.upperBound...].prefix { $0 != "\"" })
                }
            }
        }
        return nil
    }
}
