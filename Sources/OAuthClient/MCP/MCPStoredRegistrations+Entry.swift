// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import StrictJSON

extension MCPStoredRegistrations {
    /// A registration as it is stored.
    struct Entry: Sendable {
        let registration: ClientRegistration
        /// The redirect URI that it has.
        let redirectURI: String
        /// Whether a sign-in with it got no response: the server may have lost it.
        var gotNoResponse = false
        /// The names of the sessions that need it, the newest last; `nil` if an older version stored it, which kept no names.
        var sessions: [String]?
    }
}

extension MCPStoredRegistrations.Entry {
    private static let redirectURIMember = "keybound_redirect_uri"
    private static let noResponseMember = "keybound_no_response"
    private static let sessionsMember = "keybound_sessions"
    /// What older versions stored of a registration that no sign-in had succeeded with.
    private static let unusedMember = "keybound_unused"

    /// How many sessions are noted, and how many bytes their names have in all.
    private static let maximumSessions = 64
    private static let maximumBytes = 16_384

    /// Reads what ``json`` wrote; `nil` if it is malformed.
    init?(stored object: JSONObject?) {
        guard var object, let redirectURI = object[Self.redirectURIMember]?.stringValue else { return nil }
        self.redirectURI = redirectURI
        gotNoResponse = object[Self.noResponseMember]?.boolValue == true
        let isUnused = object[Self.unusedMember]?.boolValue == true
        sessions = object[Self.sessionsMember]?.arrayValue?.compactMap(\.stringValue) ?? (isUnused ? [] : nil)
        for member in [Self.redirectURIMember, Self.noResponseMember, Self.sessionsMember, Self.unusedMember] {
            object[member] = nil
        }
        guard let registration = try? ClientRegistration(parsing: object) else { return nil }
        self.registration = registration
    }

    var json: JSONObject {
        var object = registration.json
        object[Self.redirectURIMember] = .string(redirectURI)
        object[Self.noResponseMember] = gotNoResponse ? .bool(true) : nil
        object[Self.sessionsMember] = sessions.map { .strings($0) }
        return object
    }

    func isOf(_ clientID: String) -> Bool { registration.clientID.isIdentical(to: clientID) }

    /// Whether it has a secret: a public client needs nothing of its registration.
    var usesSecret: Bool { registration.metadata.tokenEndpointAuthMethod != ClientAuthenticationMethod.none }

    /// Whether no session needs it; `false` for what an older version stored, since it is not known.
    var isUnused: Bool { sessions?.isEmpty == true }

    /// The entry with the sessions of the one that it replaces, if the server did not make another client, but gave out the same
    /// one again.
    func following(_ earlier: Self?) -> Self {
        guard let earlier, earlier.isOf(registration.clientID) else { return self }
        var entry = self
        entry.sessions = earlier.sessions
        return entry
    }

    /// Notes that a session needs it.
    ///
    /// Of too many sessions, the oldest is forgotten: if the others end first, its user signs in again.
    mutating func add(_ session: String) {
        var sessions = self.sessions ?? []
        if !sessions.contains(where: { $0.isIdentical(to: session) }) { sessions.append(session) }
        while sessions.count > Self.maximumSessions || sessions.reduce(0, { $0 + $1.utf8.count }) > Self.maximumBytes {
            sessions.removeFirst()
        }
        self.sessions = sessions
    }

    /// Notes that a session needs it no more.
    mutating func remove(_ session: String) {
        sessions?.removeAll { $0.isIdentical(to: session) }
    }
}
