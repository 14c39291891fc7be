// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import PKCE
import StrictJSON
@_spi(Reflection) import Swift
import Testing

@Suite("A sign-in as JSON")
struct TransactionJSONTests {
    /// A transaction with a value in every property, none of them a default.
    private func sample() throws -> SignInTransaction {
        var detail = AuthorizationDetail(type: "payment")
        detail.otherMembers["amount"] = ["currency": "EUR"]
        return SignInTransaction(
            state: "state-of-this-sign-in",
            codeVerifier: try CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            account: ClientAccount(issuer: "https://auth.example", clientID: "my-app", name: "work"),
            redirectURI: "com.example.app:/callback",
            scope: try Scope(["a", "b"]),
            keyThumbprint: try JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"),
            expectsIssuer: true,
            expiresAt: Timestamp(millisecondsSince1970: 1_790_000_600_123),
            resources: ["https://api.example"],
            authorizationDetails: [detail],
            responseMode: .formPostJWT,
            nonce: "nonce-of-this-sign-in",
            maxAge: .seconds(300),
            startedAt: Timestamp(millisecondsSince1970: 1_790_000_000_123),
            requiredACRValues: ["urn:acr:2"],
            requiredSubject: "user-1"
        )
    }

    private func copy(_ transaction: SignInTransaction) throws -> SignInTransaction {
        let text = JSONValue.object(transaction.json).encoded()
        return try SignInTransaction(parsing: #require(try JSONValue(parsing: text).objectValue))
    }

    /// Fails for a new property of `SignInTransaction` until it is in `SignInTransaction+JSON.swift` and in the sample.
    @Test func `every stored property is written and read again`() throws {
        let original = try sample()
        let copy = try copy(original)
        var names: [String] = []
        let couldReflect = unsafe _forEachFieldWithKeyPath(of: SignInTransaction.self) { name, keyPath in
            let (before, after) = (original[keyPath: keyPath], copy[keyPath: keyPath])
            let property = unsafe String(cString: name)
            names.append(property)
            #expect(Self.saysSomething(before), "\(property) has no value in the sample")
            #expect(Self.areEqual(before, after), "\(property) is lost on the way through JSON")
            return true
        }
        #expect(couldReflect)
        #expect(names.count >= 16)
        #expect(names.contains("codeVerifier"))
        #expect(copy == original)
    }

    @Test func `a member that is another one makes another sign-in, or none`() throws {
        let original = try sample()
        for member in original.json.members where member.name != "v" {
            var object = original.json
            object[member.name] = Self.changed(member.value)
            let changed = try? SignInTransaction(parsing: object)
            #expect(changed != original, "\(member.name)")
            object[member.name] = .object([:])
            #expect(throws: OAuthClientError.self, "\(member.name)") { try SignInTransaction(parsing: object) }
        }
    }

    @Test func `what is missing is an error, but for what a sign-in may be without`() throws {
        let original = try sample()
        let optional = [
            "resources", "authorization_details", "jkt", "nonce", "max_age_s", "started_at_ms", "required_acr_values",
            "required_sub", "redirect_uri", "v",
        ]
        for member in original.json.members where !optional.contains(member.name) {
            var object = original.json
            object[member.name] = nil
            #expect { try SignInTransaction(parsing: object) } throws: { error in
                (error as? OAuthClientError)?.code == .storageFailed && !"\(error)".contains(original.codeVerifier.text)
            }
        }
        var object = original.json
        for name in optional { object[name] = nil }
        object["unknown"] = 1
        let smaller = try SignInTransaction(parsing: object)
        #expect(smaller.resources == [])
        #expect(smaller.authorizationDetails == [])
        // Without a nonce every id_token is rejected, and without a thumbprint no key is used.
        #expect(smaller.nonce == nil)
        #expect(smaller.keyThumbprint == nil)
    }

    @Test(arguments: [JSONValue.number(JSONNumber(2)), .number(JSONNumber(0)), "1", .null])
    func `a sign-in of another version says so`(_ version: JSONValue) throws {
        var object = try sample().json
        object["v"] = version
        let error = #expect(throws: OAuthClientError.self) { try SignInTransaction(parsing: object) }
        #expect(error?.code == .storageFailed)
        #expect(error?.reason == "the sign-in was begun by another version of this program; sign in again")
        // One of the first versions, which is read, and one of them that lacks a member.
        object["v"] = nil
        #expect(try SignInTransaction(parsing: object) == sample())
        object["expects_issuer"] = nil
        let older = #expect(throws: OAuthClientError.self) { try SignInTransaction(parsing: object) }
        #expect(older?.reason.contains("another version") == true)
        object["v"] = 1
        let damaged = #expect(throws: OAuthClientError.self) { try SignInTransaction(parsing: object) }
        #expect(damaged?.reason.contains("not a sign-in") == true)
    }

    private static func areEqual(_ left: Any, _ right: Any) -> Bool {
        guard let left = left as? any Hashable, let right = right as? any Hashable else { return false }
        return AnyHashable(left) == AnyHashable(right)
    }

    /// Neither `nil`, nor empty, nor `false`: a forgotten property may become one of these.
    private static func saysSomething(_ value: Any) -> Bool {
        if let flag = value as? Bool { return flag }
        if let list = value as? any Collection { return !list.isEmpty }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle != .optional || !mirror.children.isEmpty
    }

    private static func changed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .bool(let flag): .bool(!flag)
        case .number: 1
        case .string(let text): .string(text + "x")
        case .array: []
        default: .null
        }
    }
}
