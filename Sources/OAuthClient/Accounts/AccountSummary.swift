// SPDX-License-Identifier: Apache-2.0

import JOSE
public import OAuthCore
public import OAuthSystem
import StrictJSON

/// An account of an app: who it is, and whether the user must sign in again.
///
/// It holds no token. What identifies the user does not print.
public struct AccountSummary: Sendable, Hashable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// Identifies the account on this device: 22 characters of base64url, made before the first sign-in.
    public let id: String
    /// The issuer identifier of the server; empty if an early version stored the account without it, outside a list.
    public internal(set) var issuer: String
    /// `sub`: identifies the user at the server; `nil` without the scope `openid`.
    public internal(set) var subject: String?
    /// What to show to the user: `name`, `preferred_username` or `email` of the id_token; `nil` if it has none of them.
    public internal(set) var displayName: String?
    /// The granted scope.
    public internal(set) var scope: Scope
    /// When the user signed in last.
    public internal(set) var signedInAt: Timestamp
    /// When the app last asked for the session of the account, to about a minute.
    public internal(set) var lastUsedAt: Timestamp
    /// Why the user must sign in again; `nil` while the account has a session.
    public internal(set) var needsSignIn: NeedsSignIn?
    /// Whether a sign-in has begun that is not known to be finished.
    var isPending = false
    /// Members that a newer version wrote.
    var otherMembers = JSONObject()

    init(id: String, issuer: String, scope: Scope = .empty, signedInAt: Timestamp) {
        self.id = id
        self.issuer = issuer
        self.scope = scope
        self.signedInAt = signedInAt
        lastUsedAt = signedInAt
    }

    /// The account without the user.
    public var description: String { "AccountSummary(\(id))" }

    /// The account without the user.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension AccountSummary {
    private static let members: Set<String> = [
        "id", "sub", "name", "scope", "signed_in_at", "needs_sign_in", "pending", "issuer",
        "last_used_at",
    ]

    /// Takes over what the tokens of a sign-in say.
    mutating func take(_ tokens: TokenSet, at now: Timestamp) {
        subject = tokens.idToken?.subject ?? subject
        let claims = tokens.idToken?.claims
        let names = ["name", "preferred_username", "email"].lazy.compactMap { claims?.string($0) }
        displayName = names.first { !$0.isEmpty && $0.utf8.count <= 256 } ?? displayName
        scope = tokens.scope
        signedInAt = now
        lastUsedAt = now
        needsSignIn = nil
        isPending = false
    }

    var json: JSONObject {
        var object = otherMembers
        object["id"] = .string(id)
        object["issuer"] = .string(issuer)
        object["sub"] = subject.map { .string($0) }
        object["name"] = displayName.map { .string($0) }
        object["scope"] = .string(scope.description)
        object["signed_in_at"] = .number(JSONNumber(signedInAt.secondsSince1970))
        object["last_used_at"] = .number(JSONNumber(lastUsedAt.secondsSince1970))
        object["needs_sign_in"] = needsSignIn.map { .string($0.rawValue) }
        object["pending"] = isPending ? true : nil
        return object
    }

    /// Reads an account; the first versions wrote the issuer once for the whole list.
    init?(_ object: JSONObject, of issuer: String? = nil) {
        guard let id = object["id"]?.stringValue, !id.isEmpty,
            let scope = try? Scope(parsing: object["scope"]?.stringValue ?? ""),
            let seconds = object["signed_in_at"]?.integerValue
        else { return nil }
        let ownIssuer = object["issuer"]?.stringValue ?? issuer ?? ""
        self.init(id: id, issuer: ownIssuer, scope: scope, signedInAt: Timestamp(secondsSince1970: seconds))
        if let used = object["last_used_at"]?.integerValue { lastUsedAt = Timestamp(secondsSince1970: used) }
        subject = object["sub"]?.stringValue
        displayName = object["name"]?.stringValue
        needsSignIn = object["needs_sign_in"]?.stringValue.map(NeedsSignIn.init(rawValue:))
        isPending = object["pending"]?.boolValue ?? false
        otherMembers = JSONObject()
        for member in object.members where !Self.members.contains(member.name) {
            otherMembers[member.name] = member.value
        }
    }
}
