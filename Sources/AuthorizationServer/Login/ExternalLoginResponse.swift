// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The response of a login provider: a JWT for this server, this request and this browser.
struct ExternalLoginResponse {
    /// The result of the login.
    enum Outcome {
        /// The user signed in. With a scope, the provider has also obtained consent.
        /// Without claims, those of the user stay.
        case signedIn(
            subject: String,
            name: String,
            claims: JSONObject?,
            at: Timestamp,
            by: AuthenticationContext,
            scope: Scope?
        )
        /// No user signed in, or the user denied the request.
        case refused(OAuthErrorCode)
    }

    /// `typ` of the response.
    static let type = "login-response+jwt"
    /// The longest validity and the highest age of a response.
    private static let lifetime: Duration = .seconds(300)
    private static let leeway: Duration = .seconds(10)

    let pending: any PendingSignIn
    let outcome: Outcome
    private let replayKey: ReplayKey
    private let end: Timestamp

    /// Parses a response and checks everything except single use, which ``record(_:at:)`` checks.
    init(
        _ text: String,
        of system: LoginProvider,
        in cookie: BrowserCookie,
        at now: Timestamp,
        _ services: Services
    ) async throws(ProtocolFailure) {
        // Whoever does not know a challenge of this browser costs the server no signature check.
        let uri = try Self.requestURI(ofResponse: text, in: cookie)
        let reads = try await services.reads(of: uri, in: cookie, at: now)
        pending = try services.pendingSignIn(uri, reads, userCode: nil)
        let claims = try Self.claims(text, for: uri, of: system, at: now, services)
        guard let tokenID = claims.tokenID, tokenID.utf8.count <= 256, let end = claims.expiresAt,
            let replayKey = ReplayKey(tokenID: tokenID, kind: "login_response", of: system.loginURL.description)
        else { throw Self.refused("the jti is not 1 to 256 bytes") }
        (self.replayKey, self.end) = (replayKey, end)
        outcome = try Self.outcome(claims, for: pending, of: system, at: now, services.configuration)
    }

    /// Records the response, so that it works once.
    func record(_ services: Services, at now: Timestamp) async throws(ProtocolFailure) {
        var recording = Recording(services.newAttempt())
        recording.assertion = SingleUseEntry(
            key: replayKey,
            end: end + Self.leeway + ReplayKey.margin,
            pool: .loginResponses
        )
        switch try await services.stored({ [recording] in try await $0.record(recording, at: now) }) {
        case .done: return
        case .full: throw .unavailable
        case .assertionReplayed, .proofReplayed, .otherEpoch:
            throw Self.refused("the answer of the login system was used before")
        }
    }

    /// The request that a response names, before its signature is checked.
    private static func requestURI(
        ofResponse text: String,
        in cookie: BrowserCookie
    ) throws(ProtocolFailure) -> RequestURI {
        let claims: JSONObject
        do throws(JOSEError) {
            claims = try CompactJWS(parsing: text).payloadObject()
        } catch {
            throw rejected(error)
        }
        guard let challenge = claims["login_challenge"]?.stringValue,
            let uri = ExternalLogin.requestURI(ofChallenge: challenge, in: cookie)
        else { throw .otherBrowser }
        return uri
    }

    /// Checks the signature and the registered claims.
    ///
    /// A signature check costs the server something, so a sign-in has ten that may fail. Only the browser of the sign-in
    /// can use up these ten.
    private static func claims(
        _ text: String,
        for uri: RequestURI,
        of system: LoginProvider,
        at now: Timestamp,
        _ services: Services
    ) throws(ProtocolFailure) -> JWTClaims {
        if let wait = services.loginResponseChecks.take(uri.hash, at: now) {
            services.record(.limitReached, detail: "login responses of a sign-in")
            throw .tooManyRequests("for this sign-in", retryAfter: wait)
        }
        var validation = JWTValidation(
            type: type,
            issuer: system.loginURL.description,
            audience: services.configuration.issuer.description,
            algorithms: system.algorithms,
            leeway: leeway
        )
        validation.audienceRule = .string
        validation.requiredStrings = ["jti", "login_challenge"]
        validation.requiredTimes = ["iat"]
        validation.maximumLifetime = lifetime
        validation.maximumAge = lifetime
        do {
            let claims = try validation.validate(text, with: system.keys, at: now)
            services.loginResponseChecks.giveBack(uri.hash)
            return claims
        } catch {
            throw rejected(error)
        }
    }

    private static func rejected(_ error: JOSEError) -> ProtocolFailure {
        var failure = refused("the response of the login system was rejected; the server's log has the reason")
        failure.problem = "\(error.code): \(error.reason)"
        return failure
    }

    private static func outcome(
        _ claims: JWTClaims,
        for pending: any PendingSignIn,
        of system: LoginProvider,
        at now: Timestamp,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) -> Outcome {
        if let error = claims.object["error"] {
            let known: [OAuthErrorCode] = [.accessDenied, .loginRequired, .unmetAuthenticationRequirements]
            guard let code = known.first(where: { $0.rawValue == error.stringValue }) else {
                throw refused("the error is not access_denied, login_required or unmet_authentication_requirements")
            }
            return .refused(code)
        }
        guard let subject = claims.subject, (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw refused("the sub is not 1 to 255 visible ASCII characters") }
        return .signedIn(
            subject: subject,
            name: try name(claims, orElse: subject),
            claims: try userClaims(claims, configuration),
            at: try time(claims, of: pending, at: now),
            by: try context(claims, of: system),
            scope: try scope(claims, within: pending.request.scope)
        )
    }

    private static func name(_ claims: JWTClaims, orElse subject: String) throws(ProtocolFailure) -> String {
        guard let claim = claims.object["name"] else { return subject }
        guard let name = claim.stringValue, (1...128).contains(name.count), name.utf8.count <= Username.maximumLength,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw refused("the name is not 1 to 128 characters, at most 256 bytes") }
        return name
    }

    /// The claims about the user that the server has names for; `nil` if the response says nothing of any.
    ///
    /// All others are left out: a login system cannot say what only the server says.
    private static func userClaims(
        _ claims: JWTClaims,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) -> JSONObject? {
        let names = configuration.claimNames
        guard !names.isEmpty, let claim = claims.object["claims"] else { return nil }
        guard let given = claim.objectValue else { throw refused("the claims are not a JSON object") }
        let kept = given.only(names)
        if let problem = UserClaims.problem(of: kept) { throw refused(problem) }
        return kept
    }

    /// When the user authenticated: not in the future, and recently enough for the request.
    private static func time(
        _ claims: JWTClaims,
        of pending: any PendingSignIn,
        at now: Timestamp
    ) throws(ProtocolFailure) -> Timestamp {
        guard let time = try? claims.object.optionalDate("auth_time"), time <= now + leeway else {
            throw refused("the auth_time is missing, or lies in the future")
        }
        let demand = pending.request.authentication
        let isAnew = demand.prompts.contains(.login) || demand.maxAge == .zero
        let earliest = isAnew ? pending.createdAt : demand.maxAge.map { pending.createdAt - $0 }
        guard earliest.map({ time >= $0 - leeway }) ?? true else {
            throw refused("the person signed in too long ago for this request")
        }
        return min(time, now)
    }

    private static func context(
        _ claims: JWTClaims,
        of system: LoginProvider
    ) throws(ProtocolFailure) -> AuthenticationContext {
        var context = AuthenticationContext()
        if let claim = claims.object["acr"] {
            guard let name = claim.stringValue, system.contexts.contains(where: { $0.isIdentical(to: name) }) else {
                throw refused("the acr is none of those that are configured")
            }
            context.reference = name
        }
        if let claim = claims.object["amr"] {
            let methods = claim.arrayValue?.compactMap(\.stringValue) ?? []
            guard (1...16).contains(methods.count), methods.count == claim.arrayValue?.count,
                methods.allSatisfy(ServerConfiguration.isContextName)
            else { throw refused("the amr is not a list of names") }
            context.methods = methods
        }
        return context
    }

    private static func scope(_ claims: JWTClaims, within asked: Scope) throws(ProtocolFailure) -> Scope? {
        guard let claim = claims.object["scope"] else { return nil }
        guard let text = claim.stringValue, let scope = try? Scope(parsing: text), scope.isSubset(of: asked) else {
            throw refused("the scope is more than the request asks for")
        }
        return scope
    }

    static func refused(_ description: String) -> ProtocolFailure {
        ProtocolFailure(.accessDenied, description, status: 403)
    }
}
