// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// What a session notes next to its tokens, for the next process and for others that share the store.
struct SessionRecord: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The version of the format; a program rejects a higher one, and never deletes it.
    static let version: Int64 = 1
    /// How long a refresh whose outcome is not known is repeated at once.
    ///
    /// Many servers forgive a repeated refresh token for 30 seconds, few for more than a minute; later they take it for a
    /// theft (RFC 9700 section 4.14.2). Then nothing is gained by hurry, and a server that does not answer would hold up every
    /// call, although the access token is valid.
    static let repetitionTime = Duration.seconds(60)

    /// Names the sign-in, and is kept over refreshes: 22 characters of base64url; for a service, twice that, with a full
    /// stop between.
    ///
    /// `nil` in what older versions stored.
    var session: String?
    /// When a refresh was sent whose outcome is not known: the refresh token may be consumed.
    ///
    /// Noted before the request leaves, so that a process that finds it soon refreshes at once: see
    /// ``mustRepeatRefresh(at:)``.
    var refreshingSince: Timestamp?
    /// Before this time the server wants no refresh (`Retry-After`).
    var serverRetryAt: Timestamp?
    /// The wait after failures that the server named no time for, which all processes share.
    var backOff: RefreshBackOff?
    /// When the user signed out; the tokens are kept only until they are revoked.
    var endedAt: Timestamp?
    /// The finished sign-in without a browser that the tokens came from, for later sign-ins with the same key
    /// (OAuth 2.0 for First-Party Applications section 5.3.1).
    var authSession: AuthSession?
    /// How far the clock of the server was ahead of the device's, so that the next process need not learn it from a rejection.
    var clock: ClockDifference?
    /// Members that a newer version wrote.
    var otherMembers = JSONObject()

    /// Whether a refresh with an unknown outcome should be repeated at once, before the server takes that for a theft.
    ///
    /// A time that is far in the future comes from a clock that was changed.
    func mustRepeatRefresh(at now: Timestamp) -> Bool {
        guard let refreshingSince else { return false }
        let age = now - refreshingSince
        return age < Self.repetitionTime && Duration.zero - age < Self.repetitionTime
    }

    /// Nothing: a member of a newer version may be a secret.
    var description: String { "SessionRecord" }
    var customMirror: Mirror { Mirror(self, children: [Mirror.Child]()) }

    private static let names: Set<String> = [
        "v", "session", "refreshing_since", "server_retry_at", "failed_refreshes", "retry_at", "ended_at",
        "auth_session", "auth_session_expires_at",
        "clock_offset", "clock_learned_at",
    ]

    /// A record with a new name.
    static func named(by entropy: any Entropy) -> SessionRecord {
        SessionRecord(session: Base64URL.encode(entropy.bytes(16)))
    }

    /// Adds the members to those of the tokens.
    func write(to object: inout JSONObject) {
        for member in otherMembers.members where object[member.name] == nil { object[member.name] = member.value }
        object["v"] = .number(JSONNumber(Self.version))
        object["session"] = session.map { .string($0) }
        object["refreshing_since"] = Self.json(refreshingSince)
        object["server_retry_at"] = Self.json(serverRetryAt)
        object["failed_refreshes"] = backOff.map { .number(JSONNumber(Int64($0.failures))) }
        object["retry_at"] = Self.json(backOff?.until)
        object["ended_at"] = Self.json(endedAt)
        object["auth_session"] = authSession.map { .string($0.value) }
        object["auth_session_expires_at"] = Self.json(authSession?.expiresAt)
        object["clock_offset"] = clock.map { .number(JSONNumber($0.offset.components.seconds)) }
        object["clock_learned_at"] = Self.json(clock?.learnedAt)
    }

    /// Reads the members, and keeps those that neither this type nor the tokens know.
    ///
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for a newer format.
    static func read(_ object: JSONObject, besides known: Set<String>) throws(OAuthClientError) -> SessionRecord {
        if let version = object["v"], (version.integerValue ?? .max) > Self.version { throw NewerFormat.error }
        var record = SessionRecord(
            session: object["session"]?.stringValue,
            refreshingSince: time(object["refreshing_since"]),
            serverRetryAt: time(object["server_retry_at"]),
            backOff: backOff(object),
            endedAt: time(object["ended_at"]),
            authSession: object["auth_session"]?.stringValue.flatMap {
                AuthSession($0, expiresAt: time(object["auth_session_expires_at"]))
            },
            clock: clock(object)
        )
        for member in object.members where !known.contains(member.name) && !names.contains(member.name) {
            record.otherMembers[member.name] = member.value
        }
        return record
    }

    private static func backOff(_ object: JSONObject) -> RefreshBackOff? {
        guard let failures = object["failed_refreshes"]?.integerValue, failures > 0,
            let until = time(object["retry_at"])
        else { return nil }
        return RefreshBackOff(failures: Int(clamping: failures), until: until)
    }

    private static func clock(_ object: JSONObject) -> ClockDifference? {
        guard let seconds = object["clock_offset"]?.integerValue, let learned = time(object["clock_learned_at"]) else {
            return nil
        }
        return ClockDifference(offset: .seconds(seconds), learnedAt: learned)
    }

    private static func json(_ time: Timestamp?) -> JSONValue? {
        time.map { .number(JSONNumber($0.secondsSince1970)) }
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        value?.integerValue.map { Timestamp(secondsSince1970: $0) }
    }
}

/// Stored tokens have a format that this version does not know.
struct NewerFormat: Error {
    static var ofSignIn: OAuthClientError {
        OAuthClientError(
            .storageFailed,
            "the sign-in was stored by a newer version of this program; update it, or sign in again",
            underlying: NewerFormat()
        )
    }

    static var error: OAuthClientError {
        OAuthClientError(
            .storageFailed,
            "the stored tokens were written by a newer version of this program; update it",
            underlying: NewerFormat()
        )
    }
}
