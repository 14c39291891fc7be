// SPDX-License-Identifier: Apache-2.0

import OAuthCore
package import OAuthSystem
import StrictJSON
import Synchronization

/// The registrations that an app made by itself, as they are stored: one for each issuer, for one redirect URI; and those with a
/// secret that it replaced, for the sessions that still need them.
///
/// Several MCP servers share a registration. Each entry has the names of the sessions that need it, and the secret of a replaced
/// one is deleted with the last of them.
package struct MCPStoredRegistrations: Sendable {
    /// The redirect URI that the app asks for; the registration may have its other loopback form.
    private let redirectURI: String
    private let store: any MCPStateStore
    private let clock: any WallClock

    /// - Parameters:
    ///   - redirectURI: The redirect URI that the app asks for.
    ///   - store: Where they are.
    ///   - clock: The wall clock, for secrets that expire.
    package init(for redirectURI: String, in store: any MCPStateStore, clock: any WallClock) {
        self.redirectURI = redirectURI
        self.store = store
        self.clock = clock
    }

    /// How a client authenticates that registered itself.
    ///
    /// - Parameters:
    ///   - clientID: The client: another one may have taken its place, with a secret of its own.
    ///   - issuer: The authorization server.
    /// - Returns: The method with its secret; `nil` if the registration is not stored any more, or its secret has expired: such a
    ///   client gets no tokens.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func authentication(
        of clientID: String,
        at issuer: String
    ) async throws(OAuthClientError) -> ClientAuthentication? {
        for place in [key(issuer), Self.formerKey(clientID, issuer)] {
            let entry = usable(Entry(stored: try await read(place)))
            if let entry, entry.isOf(clientID) { return try entry.registration.authentication() }
        }
        return nil
    }

    /// How the client of a session authenticates that registered itself.
    ///
    /// - Returns: As above; a public client needs nothing of its registration, in whose place another one may be, or none for the
    ///   redirect URI.
    func authentication(of record: MCPServerRecord) async throws(OAuthClientError) -> ClientAuthentication? {
        if record.authenticationMethod == ClientAuthenticationMethod.none { return ClientAuthentication.none }
        return try await authentication(of: record.clientID, at: record.issuer)
    }

    /// The registration at a server, unless its secret has expired.
    func entry(at issuer: String) async throws(OAuthClientError) -> Entry? {
        usable(Entry(stored: try await read(key(issuer))))
    }

    /// The entry, unless its secret has expired.
    ///
    /// Only a secret expires (`client_secret_expires_at`, RFC 7591 section 3.2.1).
    private func usable(_ entry: Entry?) -> Entry? {
        guard let entry, entry.usesSecret, let end = entry.registration.secretExpiresAt else { return entry }
        return end <= clock.now() ? nil : entry
    }

    /// Stores a registration.
    ///
    /// The user may not sign in with it. So one that it replaces is kept if a session needs its secret, until
    /// ``release(_:at:by:)``.
    func save(_ entry: Entry, at issuer: String) async throws(OAuthClientError) {
        let place = key(issuer)
        // Before another one takes its place: a process that ends here loses no secret.
        let known = try await read(place)
        try await keep(known, replacedBy: entry, at: issuer)
        let replaced = Mutex<JSONObject?>(nil)
        try await update(place) { stored in
            replaced.withLock { $0 = stored }
            return entry.following(Entry(stored: stored)).json
        }
        // Meanwhile another session may have begun to need it.
        let last = replaced.withLock { $0 }
        if last != known { try await keep(last, replacedBy: entry, at: issuer) }
    }

    private func keep(
        _ stored: JSONObject?,
        replacedBy new: Entry,
        at issuer: String
    ) async throws(OAuthClientError) {
        guard let known = usable(Entry(stored: stored)), !known.isUnused, !new.isOf(known.registration.clientID) else {
            return
        }
        try await keep(known, at: issuer)
    }

    /// Keeps a registration that another one has replaced, if it has a secret.
    private func keep(_ known: Entry, at issuer: String) async throws(OAuthClientError) {
        guard known.usesSecret else { return }
        try await update(Self.formerKey(known.registration.clientID, issuer)) { stored in
            var kept = known
            for session in Entry(stored: stored)?.sessions ?? [] { kept.add(session) }
            return kept.json
        }
    }

    /// Credentials belong to one issuer, and a registration to its redirect URI.
    private func key(_ issuer: String) -> String {
        "client \(issuer) \(redirectURI)"
    }

    /// The identifier of a client is unique at its issuer (RFC 6749 section 2.2).
    private static func formerKey(_ clientID: String, _ issuer: String) -> String {
        "former \(issuer) \(clientID)"
    }
}

/// What becomes of a registration: sign-ins without a response, and the sessions that need it.
extension MCPStoredRegistrations {
    /// Notes that a sign-in with a registration got no response, unless another one has taken its place.
    ///
    /// The registration stays, for the sessions that need it; the next sign-in registers again.
    ///
    /// - Parameters:
    ///   - clientID: The client.
    ///   - issuer: The authorization server.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func noteNoResponse(to clientID: String, at issuer: String) async throws(OAuthClientError) {
        try await change(key(issuer), of: clientID) { $0.gotNoResponse = true }
    }

    /// Notes that the server knows a client after all.
    ///
    /// - Parameters:
    ///   - clientID: The client.
    ///   - issuer: The authorization server.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func noteResponse(to clientID: String, at issuer: String) async throws(OAuthClientError) {
        try await change(key(issuer), of: clientID) { $0.gotNoResponse = false }
    }

    /// Notes that a sign-in with a registration succeeded: so the server has not lost it, and a session needs it.
    ///
    /// - Parameters:
    ///   - clientID: The client.
    ///   - issuer: The authorization server.
    ///   - session: The name of the session.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func noteSuccess(
        of clientID: String,
        at issuer: String,
        for session: String
    ) async throws(OAuthClientError) {
        try await note(clientID, at: issuer) { entry in
            entry.gotNoResponse = false
            entry.add(session)
        }
    }

    /// Notes that a sign-in succeeded, and keeps its registration.
    ///
    /// - Parameters:
    ///   - entry: The registration as the sign-in used it. Another sign-in may have replaced it meanwhile, when it seemed that
    ///     no session needs it: then it is kept now.
    ///   - issuer: The authorization server.
    ///   - session: The name of the session.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    func noteSuccess(
        of entry: Entry,
        at issuer: String,
        for session: String
    ) async throws(OAuthClientError) {
        let clientID = entry.registration.clientID
        try await noteSuccess(of: clientID, at: issuer, for: session)
        guard try await !holds(clientID, at: issuer) else { return }
        var kept = entry
        kept.sessions = [session]
        try await keep(kept, at: issuer)
    }

    /// Notes that a stored session, or a sign-in that waits for its response, needs a registration.
    ///
    /// It may be noted already; but an older version, or another process, may not have done so.
    ///
    /// - Parameters:
    ///   - clientID: The client.
    ///   - issuer: The authorization server.
    ///   - session: The name of the session.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func noteUse(of clientID: String, at issuer: String, by session: String) async throws(OAuthClientError) {
        try await note(clientID, at: issuer) { $0.add(session) }
    }

    /// Notes that nothing is left of a session.
    ///
    /// The secret of its registration is deleted, if another registration has replaced that, and no other session needs it.
    ///
    /// - Parameters:
    ///   - clientID: The client of the session.
    ///   - issuer: The authorization server.
    ///   - session: The name of the session.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func release(
        _ clientID: String,
        at issuer: String,
        by session: String
    ) async throws(OAuthClientError) {
        try await change(key(issuer), of: clientID) { $0.remove(session) }
        let former = Self.formerKey(clientID, issuer)
        guard try await read(former) != nil else { return }
        try await update(former) { stored in
            guard var entry = Entry(stored: stored) else { return nil }
            entry.remove(session)
            // Whoever else needs one that an older version stored is not known.
            return entry.sessions?.isEmpty == false ? entry.json : nil
        }
    }

    /// Whether the registration of a client is stored, in use or replaced.
    private func holds(_ clientID: String, at issuer: String) async throws(OAuthClientError) -> Bool {
        for place in [key(issuer), Self.formerKey(clientID, issuer)] {
            let entry = Entry(stored: try await read(place))
            if entry?.isOf(clientID) == true { return true }
        }
        return false
    }

    /// Changes what is stored of a client, whether or not another registration has replaced it.
    private func note(
        _ clientID: String,
        at issuer: String,
        _ body: @escaping @Sendable (inout Entry) -> Void
    ) async throws(OAuthClientError) {
        for place in [key(issuer), Self.formerKey(clientID, issuer)] {
            try await change(place, of: clientID, body)
        }
    }

    /// Changes a record in one step, if it is that of the client.
    private func change(
        _ key: String,
        of clientID: String,
        _ body: @escaping @Sendable (inout Entry) -> Void
    ) async throws(OAuthClientError) {
        let changed: @Sendable (JSONObject?) -> JSONObject? = { stored in
            guard var entry = Entry(stored: stored), entry.isOf(clientID) else { return stored }
            body(&entry)
            return entry.json
        }
        // Most often there is nothing to change, and nothing is written.
        let stored = try await read(key)
        guard changed(stored) != stored else { return }
        try await update(key, changed)
    }

    private func read(_ key: String) async throws(OAuthClientError) -> JSONObject? {
        do {
            return try await store.record(key)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "what is known of the server cannot be read")
        }
    }

    private func update(
        _ key: String,
        _ change: @escaping @Sendable (JSONObject?) -> JSONObject?
    ) async throws(OAuthClientError) {
        do {
            try await store.updateRecord(key, change)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the registration cannot be stored")
        }
    }
}

extension OAuthClientError {
    /// Whether the browser never came back from a sign-in, as far as the user agent tells.
    package var isNoResponse: Bool { [.cancelled, .timedOut, .userAgentFailed].contains(code) }
}
