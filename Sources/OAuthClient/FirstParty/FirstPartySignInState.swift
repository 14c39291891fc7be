// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
public import OAuthSystem
public import StrictJSON

/// A sign-in between two steps, to be kept while the app may be stopped: in the Keychain, or in a file that only its user
/// can read.
///
/// It has what nothing else can give back: `auth_session` and the code verifier. Both are of no use without the key. Names,
/// passwords and codes that the user typed are never in it. It is not printed.
public struct FirstPartySignInState: Sendable, Hashable, RedactedSecret {
    /// The version of the format; a program rejects a higher one.
    static let version: Int64 = 1

    /// The first request, and what its code will be exchanged with.
    let transaction: SignInTransaction
    /// The parameters of the first request, for a browser that has to start again.
    let parameters: FormParameters
    let authSession: AuthSession
    /// What the user may do now, the preferred one first; never empty.
    let steps: [SignInStep]
    let problem: SignInProblem?
    /// When the server forgets the sign-in, by the clock of the device.
    public let expiresAt: Timestamp

    /// Compares two states, their secrets in constant time.
    ///
    /// - Parameters:
    ///   - left: One state.
    ///   - right: The other one.
    /// - Returns: Whether both are identical.
    public static func == (left: FirstPartySignInState, right: FirstPartySignInState) -> Bool {
        left.authSession.value.isIdenticalInConstantTime(to: right.authSession.value)
            && left.transaction == right.transaction && left.parameters == right.parameters
            && left.steps == right.steps && left.problem == right.problem && left.expiresAt == right.expiresAt
    }

    /// The same place with a newer `auth_session`.
    func with(_ newer: AuthSession) -> FirstPartySignInState {
        FirstPartySignInState(
            transaction: transaction,
            parameters: parameters,
            authSession: newer,
            steps: steps,
            problem: problem,
            expiresAt: newer.expiresAt ?? expiresAt
        )
    }
}

extension FirstPartySignInState {
    /// The state as JSON, secrets in clear: for a store that encrypts or protects it.
    public var json: JSONObject {
        var object: JSONObject = [
            "v": .number(JSONNumber(Self.version)), "transaction": .object(transaction.json),
            "request": .string(parameters.encoded()), FirstPartyParameter.authSession: .string(authSession.value),
            FirstPartyParameter.steps: .array(steps.map { .object($0.json) }),
            "expires_at_ms": .number(JSONNumber(expiresAt.millisecondsSince1970)),
        ]
        object[FirstPartyParameter.problem] = problem.map { .string($0.rawValue) }
        return object
    }

    /// Reads JSON that ``json`` wrote.
    ///
    /// - Parameter object: The state as JSON.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for any other JSON, and for a newer format.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let version = object["v"]?.integerValue, version <= Self.version else { throw NewerFormat.ofSignIn }
        guard let stored = object["transaction"]?.objectValue,
            let request = object["request"]?.stringValue, let parameters = try? FormParameters(decoding: request),
            let expiry = object["expires_at_ms"]?.integerValue,
            let authSession = AuthSession(
                object[FirstPartyParameter.authSession]?.stringValue ?? "",
                expiresAt: Timestamp(millisecondsSince1970: expiry)
            ),
            let steps = try? SignInSteps(parsing: object).all
        else { throw Self.notAState }
        self.init(
            transaction: try SignInTransaction(parsing: stored),
            parameters: parameters,
            authSession: authSession,
            steps: steps,
            problem: object[FirstPartyParameter.problem]?.stringValue.map { SignInProblem(rawValue: $0) },
            expiresAt: Timestamp(millisecondsSince1970: expiry)
        )
    }

    private static var notAState: OAuthClientError {
        OAuthClientError(.storageFailed, "what was stored is not a sign-in; sign in again")
    }
}

extension FirstPartySignInState: Codable {
    private enum Member: String, CodingKey {
        case signIn = "sign_in"
    }

    /// Writes the state as one text, secrets in clear: for a store that encrypts or protects it.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(String(decoding: JSONValue.object(json).encoded(), as: UTF8.self), forKey: .signIn)
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`; the underlying error is ``OAuthClientError/Code/storageFailed``.
    public init(from decoder: any Decoder) throws {
        self = try DecodingError.wrapping(decoder) {
            let text = try decoder.container(keyedBy: Member.self).decode(String.self, forKey: .signIn)
            // The error must not quote the text.
            guard let object = try? JSONValue(parsing: Array(text.utf8)).objectValue else { throw Self.notAState }
            return try FirstPartySignInState(parsing: object)
        }
    }
}
