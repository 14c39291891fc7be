// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthCore
import StrictJSON
import Testing

@Suite("Values that an app may keep in its own documents")
struct CodableTests {
    private func copy<Value: Codable>(of value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func `scope and metadata survive`() throws {
        let scope = try Scope(parsing: "openid notes:read")
        #expect(try copy(of: scope) == scope)
        let server = try AuthorizationServerMetadata(
            parsing: [
                "issuer": "https://auth.example", "token_endpoint": "https://auth.example/token",
                "response_types_supported": ["code"], "x_other": ["kept": true],
            ]
        )
        #expect(try copy(of: server).json["x_other"] == server.json["x_other"])
        #expect(try copy(of: server).tokenEndpoint == server.tokenEndpoint)
        let api = try ProtectedResourceMetadata(parsing: ["resource": "https://api.example"])
        #expect(try copy(of: api).resource == "https://api.example")
    }

    @Test func `what a document must not have is rejected`() throws {
        for (text, type) in [("{}", "server"), (#"{"issuer":1}"#, "server"), (#"{"resource":1}"#, "api")] {
            #expect(throws: DecodingError.self) {
                let data = Data(text.utf8)
                if type == "server" {
                    _ = try JSONDecoder().decode(AuthorizationServerMetadata.self, from: data)
                } else {
                    _ = try JSONDecoder().decode(ProtectedResourceMetadata.self, from: data)
                }
            }
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Scope.self, from: Data(#""a  \u0001""#.utf8)) }
    }
}
