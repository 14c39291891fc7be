// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 6749 section 5.1: the token response")
struct TokenResponseTests {
    private func parse(_ members: JSONObject) throws -> TokenResponse {
        var object: JSONObject = ["access_token": "at", "token_type": "DPoP"]
        for member in members.members { object[member.name] = member.value }
        return try TokenResponse(parsing: object)
    }

    @Test func `what is written is read again`() throws {
        let response = TokenResponse(
            accessToken: AccessToken("at"),
            tokenType: .dpop,
            expiresIn: .seconds(300),
            refreshToken: RefreshToken("rt"),
            scope: try Scope(["a", "b"])
        )
        #expect(try TokenResponse(parsing: response.json) == response)
        var exchanged = response
        exchanged.issuedTokenType = .jwt
        exchanged.idToken = SecurityToken("e30.e30.e30", type: .idToken)
        #expect(try TokenResponse(parsing: exchanged.json) == exchanged)
        #expect(!"\(exchanged)".contains("e30"))
        #expect(response.json["expires_in"]?.integerValue == 300)
        let text = String(decoding: JSONValue.object(response.json).encoded(), as: UTF8.self)
        #expect(
            text == #"{"access_token":"at","token_type":"DPoP","expires_in":300,"refresh_token":"rt","scope":"a b"}"#
        )
    }

    @Test func `members that are not of OAuth are kept as far as there is room, and do not print`() throws {
        let secret = "a-secret-of-the-server"
        let response = try parse([
            "instance_url": "https://na1.example", "ext_expires_in": 7200, "is_new": true,
            "device_secret": .string(secret),
            "list": [1], "object": ["a": 1], "nothing": .null, "auth_session": "not-here",
            "long": .string(String(repeating: "x", count: 5000)), "id": "last",
        ])
        #expect(response.otherMembers["instance_url"] == "https://na1.example")
        #expect(response.otherMembers["ext_expires_in"] == 7200)
        #expect(
            response.otherMembers.json.members.map(\.name) == [
                "instance_url", "ext_expires_in", "is_new", "device_secret", "id",
            ]
        )
        var dumped = "\(response) \(response.otherMembers)"
        dump(response, to: &dumped)
        #expect(!dumped.contains(secret))
        #expect(try TokenResponse(parsing: response.json) == response)
        let newer = AdditionalMembers(of: ["id": "newer", "more": 1])
        let both = response.otherMembers.updated(by: newer)
        #expect(both["id"] == "newer" && both["more"] == 1 && both["is_new"] == true)
    }

    @Test func `absent members are absent, and others than plain values are ignored`() throws {
        let response = try parse(["foo": ["bar": 1], "refresh_token": .null, "scope": .null, "expires_in": .null])
        #expect(response.expiresIn == nil)
        #expect(response.refreshToken == nil)
        #expect(response.scope == nil)
    }

    @Test(arguments: [
        (JSONValue.string("3600"), Duration.seconds(3600)), (3600, .seconds(3600)), (0, .zero), (-5, .zero),
        (9_223_372_036_854_775_807, .seconds(315_360_000)), (.string("1e400"), .seconds(315_360_000)),
        (.string("12.9"), .seconds(12)),
    ])
    func `trap 20: expires_in is read as a number or a string, however large`(
        _ value: JSONValue,
        _ expected: Duration
    ) throws {
        #expect(try parse(["expires_in": value]).expiresIn == expected)
    }

    @Test(arguments: [JSONValue.string("soon"), .string("nan"), .string(""), true, [3600]])
    func `another expires_in is rejected`(_ value: JSONValue) {
        #expect(throws: OAuthCoreError.self) { try parse(["expires_in": value]) }
    }

    @Test(arguments: [
        ("access_token", JSONValue.null), ("access_token", ""), ("access_token", 1), ("access_token", "a b"),
        ("access_token", "a\r\nX: y"), ("access_token", "ü"), ("token_type", .null), ("token_type", ""),
        ("refresh_token", 1), ("refresh_token", "a\nb"), ("scope", 1), ("scope", "a\"b"),
    ])
    func `members that cannot be used are rejected, without saying their value`(_ name: String, _ value: JSONValue) {
        let error = #expect(throws: OAuthCoreError.self) { try parse([name: value]) }
        #expect(error?.description.contains("a b") == false)
    }

    @Test func `trap 20: the token type is compared without case`() throws {
        #expect(try parse(["token_type": "dpop"]).tokenType == .dpop)
        #expect(try parse(["token_type": "BEARER"]).tokenType == .bearer)
        #expect(try parse(["token_type": "N_A"]).tokenType != .bearer)
        #expect(Set([TokenType.dpop, TokenType(rawValue: "dPoP")]).count == 1)
    }

    @Test func `scopes with careless spaces are read`() throws {
        #expect(try parse(["scope": "a  b "]).scope == Scope(["a", "b"]))
        #expect(try parse(["scope": " "]).scope == nil)
    }

    @Test func `trap 66: tokens and codes do not print`() throws {
        let response = try parse(["access_token": "secret-a", "refresh_token": "secret-r"])
        var dumped = "\(response) \(String(reflecting: response)) \(AuthorizationCode("secret-c"))"
        dump(response, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
