// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem
package import StrictJSON

/// A sign-in without a browser, from its first request on (OAuth 2.0 for First-Party Applications section 5.3.1).
///
/// Each checked answer replaces its value, so that one answer is checked for each value. It is finished once a code was
/// issued, and then shows who signed in until it expires, as the session of a browser does. It never has a password.
public struct StoredFirstPartySession: Sendable, Hashable {
    /// The identifier, in the form of a grant's: 22 characters of base64url.
    public var id: String
    /// The hash of the current ``AuthSession``.
    public var valueHash: SecretHash
    /// The request that began it, bound to the key of its proof.
    public var request: AuthorizationRequest
    /// Who the user proved to be; `nil` before the first right answer.
    public var user: AuthenticatedUser?
    /// The steps of which the user may answer one.
    public var offered: [SignInStepType]
    /// How many answers were wrong.
    public var wrongAnswers: Int
    /// The grant of the code, once it is finished.
    public var grantID: String?
    /// When it expires.
    public var expiresAt: Timestamp

    /// Whether a code was issued.
    public var isFinished: Bool { grantID != nil }

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - valueHash: The hash of its value.
    ///   - request: The request.
    ///   - user: Who the user proved to be.
    ///   - offered: The steps of which the user may answer one.
    ///   - wrongAnswers: How many answers were wrong.
    ///   - grantID: The grant of the code, if it is finished.
    ///   - expiresAt: When it expires.
    public init(
        id: String,
        valueHash: SecretHash,
        request: AuthorizationRequest,
        user: AuthenticatedUser? = nil,
        offered: [SignInStepType] = [],
        wrongAnswers: Int = 0,
        grantID: String? = nil,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.valueHash = valueHash
        self.request = request
        self.user = user
        self.offered = offered
        self.wrongAnswers = wrongAnswers
        self.grantID = grantID
        self.expiresAt = expiresAt
    }
}

extension StoredFirstPartySession {
    /// What only the program reads, and no statement of a database.
    package var progress: JSONObject {
        var object: JSONObject = ["offered": .strings(offered.map(\.rawValue))]
        object["wrong_answers"] = wrongAnswers == 0 ? nil : .number(JSONNumber(Int64(wrongAnswers)))
        if let user {
            object["authenticated_at"] = .number(JSONNumber(user.authenticatedAt.millisecondsSince1970))
            user.authentication.write(to: &object)
        }
        return object
    }

    /// Adds what was stored as ``progress``.
    ///
    /// - Parameters:
    ///   - progress: The value of ``progress``.
    ///   - subject: `sub` of the user; `nil` before the first right answer.
    package mutating func read(_ progress: JSONObject, subject: String?) {
        offered = Self.strings(progress["offered"]).map { SignInStepType(rawValue: $0) }
        wrongAnswers = progress["wrong_answers"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
        user = subject.map { subject in
            AuthenticatedUser(
                subject: subject,
                authenticatedAt: Timestamp(
                    millisecondsSince1970: progress["authenticated_at"]?.integerValue ?? 0
                ),
                authentication: AuthenticationContext(
                    reference: progress["acr"]?.stringValue,
                    methods: Self.strings(progress["amr"])
                )
            )
        }
    }

    private static func strings(_ value: JSONValue?) -> [String] {
        value?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
