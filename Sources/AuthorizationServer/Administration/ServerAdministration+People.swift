// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
public import ServerStorage
public import StrictJSON

extension ServerAdministration {
    /// Lists the users who can sign in.
    ///
    /// - Returns: All accounts, in the order of their user names.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/storageFailed``.
    public func users() async throws(AuthorizationServerError) -> [UserAccount] {
        try await stored { try await $0.users() }
    }

    /// Changes a user's password.
    ///
    /// This ends all browser sessions of the user; the grants of clients remain.
    ///
    /// - Parameters:
    ///   - username: The user name; ASCII letters of either case.
    ///   - password: The password: 8 to 1024 bytes (NIST SP 800-63B section 5.1.1.2).
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/invalidValue``, ``AuthorizationServerError/Code/storageFailed``,
    ///   ``AuthorizationServerError/Code/busy``,
    ///   ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func changePassword(
        of username: String,
        to password: String
    ) async throws(AuthorizationServerError) {
        let user = try await user(username)
        let hash = try await hash(password)
        guard try await stored({ try await $0.setPassword(hash, of: user.subject) }) else { throw .noSuchUser }
        record(.passwordChanged, subject: user.subject)
    }

    /// Changes what is said about a user in tokens, if the configuration has a scope that releases it.
    ///
    /// Tokens say it from the next refresh on. A login provider replaces all of it at each sign-in that says something.
    /// The audit log says which claims changed, if any.
    ///
    /// - Parameters:
    ///   - username: The user name; ASCII letters of either case.
    ///   - values: The claims to set: strings, numbers, `true` or `false`, arrays of these, or objects of all these.
    ///   - names: The names of claims to remove; those that the user does not have are left out.
    /// - Returns: All claims of the user.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/invalidValue`` for a name of another form, one to set that the server uses itself,
    ///   another value, or claims of more than 2048 bytes, ``AuthorizationServerError/Code/busy``,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    @discardableResult
    public func changeClaims(
        of username: String,
        setting values: JSONObject,
        removing names: [String] = []
    ) async throws(AuthorizationServerError) -> JSONObject {
        for member in values.members {
            if let problem = UserClaims.problem(ofName: member.name) { throw .unacceptable(problem) }
        }
        // Here only the form counts: a claim must not stay because the server uses its name itself in a later version.
        guard names.allSatisfy(UserClaims.isName) else { throw .unacceptable(UserClaims.formOfNames) }
        // Another change between reading and writing must not be lost.
        for _ in 0..<Self.attempts {
            let user = try await user(username)
            var claims = user.claims
            for name in names { claims[name] = nil }
            for member in values.members { claims[member.name] = member.value }
            let changed = Self.changes(from: user.claims, to: claims, among: values.members.map(\.name) + names)
            guard !changed.isEmpty else { return user.claims }
            if let problem = UserClaims.problem(of: claims) { throw .unacceptable(problem) }
            let new = claims
            guard try await stored({ try await $0.setClaims(new, of: user.subject, replacing: user.claims) }) else {
                continue
            }
            record(.userClaimsChanged, subject: user.subject, detail: changed.joined(separator: " "))
            return new
        }
        throw AuthorizationServerError(.busy, "somebody else is changing the claims of this user: try again")
    }

    /// How often a change is tried again after a change by somebody else.
    private static var attempts: Int { 8 }

    /// The names of claims that differ, each once; values are compared byte by byte.
    private static func changes(from old: JSONObject, to new: JSONObject, among names: [String]) -> [String] {
        var changed: [String] = []
        for name in names where !changed.contains(name) && old[name]?.encoded() != new[name]?.encoded() {
            changed.append(name)
        }
        return changed
    }

    /// Removes a user: the account can no longer sign in, and every token that was issued for it is revoked.
    ///
    /// Issued access tokens remain valid until they expire, at APIs that do not look them up.
    ///
    /// - Parameter username: The user name; ASCII letters of either case.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func removeUser(_ username: String) async throws(AuthorizationServerError) {
        let (user, now) = (try await user(username), clock.now())
        guard try await stored({ try await $0.removeUser(user.subject, at: now) }) else { throw .noSuchUser }
        record(.userRemoved, subject: user.subject)
    }

    /// The account with a user name.
    ///
    /// - Parameter username: The user name; ASCII letters of either case.
    /// - Returns: The account.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/notFound`` if there is no such user,
    ///   ``AuthorizationServerError/Code/storageFailed``.
    public func user(_ username: String) async throws(AuthorizationServerError) -> UserAccount {
        let name = Username.stored(username)
        guard let user = try await stored({ try await $0.user(named: name) }) else { throw .noSuchUser }
        return user
    }
}

extension AuthorizationServerError {
    fileprivate static let noSuchUser = Self(.notFound, "there is no user of this name")

    fileprivate static func unacceptable(_ reason: String) -> Self {
        Self(.invalidValue, reason)
    }
}
