// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Handles the form of the login page.
struct LoginEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let now = services.clock.now()
        do {
            let form = try await LoginForm(http, services, at: now)
            return try await signIn(form, at: now)
        } catch {
            return AuthorizationErrorResponse.page(for: error, services)
        }
    }

    private func signIn(_ form: LoginForm, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        let (typed, password) = (form.username, form.password)
        guard let username = Username.acceptable(typed), (1...1024).contains(password.utf8.count) else {
            return again(form, .missingFields, status: 400)
        }
        let key = try await services.knownBrowserKey()
        let known = form.namedUser.flatMap { form.knownBrowser?.knows($0, key, at: now) == true ? $0 : nil }
        // Before hashing: an attempt over the limit costs no computation.
        var attempt = LoginAttempt(username: username, knownUser: known, in: form.knownBrowser, services)
        if let wait = attempt.begin(at: now) { return limited(form, wait) }
        do {
            let user = form.namedUser
            guard try await services.passwords.check(password, against: user?.passwordHash, from: attempt.source),
                let user
            else {
                services.record(.signInFailed, subject: user?.subject)
                // Not 401, which requires an HTTP authentication scheme (RFC 9110 sections 15.5.2 and 15.5.4).
                return again(form, .wrongCredentials, status: 403)
            }
            attempt.succeed()
            services.record(.signInSucceeded, subject: user.subject)
            var response = try await startSession(for: user, form, at: now)
            let browser = KnownBrowser.after(form.knownBrowser, signInOf: user, key, at: now, services.entropy)
            response.fields.append(name: "Set-Cookie", value: browser.setCookie(services))
            return response
        } catch let error as AuthorizationServerError where error.code == .tooManyAtOnce {
            attempt.takeBackFromAccount()
            attempt.reportFlood(at: now)
            return limited(form, .seconds(1))
        } catch let error as AuthorizationServerError where error.code == .busy {
            attempt.takeBackFromAccount()
            var response = again(form, .serverBusy, status: 503)
            response.fields["Retry-After"] = "2"
            return response
        } catch {
            attempt.takeBack()
            switch error {
            case let failure as ProtocolFailure:
                throw failure
            default:
                services.report("a password was not checked: \(error)")
                throw .unavailable
            }
        }
    }

    private func startSession(
        for user: UserAccount,
        _ form: LoginForm,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let start = try await SessionStart(
            of: user.subject,
            at: now,
            // RFC 8176 section 2.
            by: AuthenticationContext(reference: services.configuration.passwordContext, methods: ["pwd"]),
            for: form.pending,
            replacing: form.cookie,
            now: now,
            services
        )
        var response = HTTPResponse.seeOther(form.pending.resumption(services))
        response.fields.append(name: "Set-Cookie", value: start.cookie.setCookie(services))
        return response
    }

    private func limited(_ form: LoginForm, _ wait: Duration) -> HTTPResponse {
        var response = again(form, .tooManyAttempts(retryAfter: wait), status: 429)
        response.fields["Retry-After"] = RetryDelayText(wait).seconds.description
        return response
    }

    private func again(_ form: LoginForm, _ problem: LoginPage.Problem, status: Int) -> HTTPResponse {
        Interaction(services: services).loginPage(
            for: form.pending,
            cookie: form.cookie,
            username: form.username,
            problem: problem,
            status: status
        )
    }
}
