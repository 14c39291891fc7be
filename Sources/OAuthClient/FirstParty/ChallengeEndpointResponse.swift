// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON

/// A response of the authorization challenge endpoint (OAuth 2.0 for First-Party Applications section 5.2).
struct ChallengeEndpointResponse: Sendable {
    /// What the server decided.
    enum Outcome: Sendable {
        /// A step is open (section 5.2.2).
        case steps([SignInStep], SignInProblem?)
        /// The sign-in is finished (section 5.2.1).
        case code(AuthorizationCode)
        /// The browser takes over (section 5.2.2.1.1), with the reference of the request, if there was a redirect URI.
        case redirectToWeb(requestURI: String?, expiresIn: Duration?)
        /// Anything else.
        case rejected(OAuthClientError)
    }

    let outcome: Outcome
    /// The newest value, whatever the status (section 5.3.1); `nil` when the response has none.
    let authSession: AuthSession?

    /// The statuses of a response that asks for more: drafts differ, and the code of the error decides.
    private static let openStatuses = [400, 401, 403]
    private static let maximumRequestURILength = 2048
    private static let maximumCodeLength = 4096
    private static let maximumLifetime: Int64 = 86_400 * 30

    /// Reads a response.
    ///
    /// - Throws: ``OAuthClientError/Code/malformedResponse``.
    init(_ response: HTTPResponse, at now: Timestamp) throws(OAuthClientError) {
        let object = (try? response.jsonObject()) ?? [:]
        authSession = try Self.authSession(object, at: now)
        let code = object[FirstPartyParameter.authorizationCode]
        guard code == nil || object["error"] == nil else { throw Self.malformed("it has a code and an error") }
        if response.status == 200 {
            outcome = .code(try Self.code(code))
        } else if Self.openStatuses.contains(response.status) {
            outcome = try Self.open(object, FailedResponse(response).error?.error) ?? .rejected(Self.error(response))
        } else {
            outcome = .rejected(Self.error(response))
        }
    }

    private static func open(_ object: JSONObject, _ error: OAuthErrorCode?) throws(OAuthClientError) -> Outcome? {
        switch error {
        case .insufficientAuthorization: .steps(try SignInSteps(parsing: object).all, problem(object))
        case .redirectToWeb:
            .redirectToWeb(requestURI: try requestURI(object), expiresIn: seconds(object["expires_in"]))
        default: nil
        }
    }

    private static func code(_ value: JSONValue?) throws(OAuthClientError) -> AuthorizationCode {
        guard let code = value?.stringValue, isToken(code, maximumCodeLength) else {
            throw malformed("it has no 'authorization_code'")
        }
        return AuthorizationCode(code)
    }

    private static func authSession(_ object: JSONObject, at now: Timestamp) throws(OAuthClientError) -> AuthSession? {
        guard let value = object[FirstPartyParameter.authSession] else { return nil }
        let lifetime = seconds(object[FirstPartyParameter.authSessionExpiresIn])
        guard let text = value.stringValue, let session = AuthSession(text, expiresAt: lifetime.map { now + $0 }) else {
            throw malformed("'auth_session' is not a text of at most \(AuthSession.maximumLength) bytes")
        }
        return session
    }

    /// A word that this version does not know counts as a wrong answer.
    private static func problem(_ object: JSONObject) -> SignInProblem? {
        guard let value = object[FirstPartyParameter.problem] else { return nil }
        return value.stringValue == SignInProblem.codeUsed.rawValue ? .codeUsed : .wrongAnswer
    }

    private static func requestURI(_ object: JSONObject) throws(OAuthClientError) -> String? {
        guard let value = object["request_uri"] else { return nil }
        guard let text = value.stringValue, isToken(text, maximumRequestURILength) else {
            throw malformed("'request_uri' is not a text of at most \(maximumRequestURILength) bytes")
        }
        return text
    }

    private static func seconds(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.integerValue, seconds > 0 else { return nil }
        return .seconds(min(seconds, maximumLifetime))
    }

    private static func isToken(_ text: String, _ maximumLength: Int) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static func malformed(_ what: String) -> OAuthClientError {
        OAuthClientError(.malformedResponse, "the answer of the authorization challenge endpoint is malformed: \(what)")
    }

    /// The error of a response that neither asks for more nor sends the user to the browser.
    private static func error(_ response: HTTPResponse) -> OAuthClientError {
        let failed = FailedResponse(response)
        if failed.status == 429 {
            return OAuthClientError(
                .tooManyAttempts,
                "the server wants no more answers for now",
                failedResponse: failed
            )
        }
        switch failed.error?.error {
        case .invalidSession:
            return OAuthClientError(.signInExpired, "the server does not continue the sign-in", failedResponse: failed)
        case .unauthorizedClient:
            return OAuthClientError(
                .firstPartyNotSupported,
                "the server does not let this client sign users in without a browser",
                failedResponse: failed
            )
        case .some(let code) where decisions.contains(code):
            return OAuthClientError(.authorizationRejected, "the sign-in was rejected", failedResponse: failed)
        case .some(let code) where attestationErrors.contains(code):
            return OAuthClientError(
                .attestationRefused,
                "the server does not accept the attestation of this app",
                failedResponse: failed
            )
        default:
            return OAuthClientError(rejectedBy: "the server, asked for a sign-in without a browser,", response)
        }
    }

    /// Errors about the user, who cannot be signed in as the request demands.
    private static let decisions: Set<OAuthErrorCode> = [
        .accessDenied, .loginRequired, .interactionRequired, .consentRequired, .accountSelectionRequired,
        .unmetAuthenticationRequirements,
    ]
    /// OAuth 2.0 Attestation-Based Client Authentication section 7.4.
    private static let attestationErrors: Set<OAuthErrorCode> = [.invalidClientAttestation, .useFreshAttestation]
}
