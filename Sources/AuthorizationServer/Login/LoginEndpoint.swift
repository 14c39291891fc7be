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
            return await BrowserForm.response(to: error, for: http, services, at: now)
        }
    }

    private func signIn(_ form: LoginForm, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        guard let signIn = PasswordSignIn(username: form.username, password: form.password) else {
            return again(form, .missingFields, status: 400)
        }
        let key = try await services.knownBrowserKey()
        let isKnown = form.namedUser.flatMap { form.knownBrowser?.knows($0, key, at: now) } ?? false
        let device = isKnown ? form.knownBrowser?.id : nil
        switch try await signIn.check(against: form.namedUser, knownOn: device, at: now, services) {
        case .right(let user, let attempt):
            guard let start = try await startSession(for: user, attempt, form, at: now) else {
                services.record(.signInFailed, subject: user.subject)
                return again(form, .wrongCredentials, status: 403)
            }
            // Only now: guesses of a former password count.
            await attempt.succeed()
            services.record(.signInSucceeded, subject: user.subject)
            var response = HTTPResponse.seeOther(form.pending.resumption(services))
            response.fields.append(name: "Set-Cookie", value: start.cookie.setCookie(services))
            let browser = KnownBrowser.after(form.knownBrowser, signInOf: user, key, at: now, services.entropy)
            response.fields.append(name: "Set-Cookie", value: browser.setCookie(services))
            return response
        case .wrong:
            // Not 401, which requires an HTTP authentication scheme (RFC 9110 sections 15.5.2 and 15.5.4).
            return again(form, .wrongCredentials, status: 403)
        case .wait(let wait): return limited(form, wait)
        case .busy:
            var response = again(form, .serverBusy, status: 503)
            response.fields["Retry-After"] = "2"
            return response
        }
    }

    /// Starts the session, unless the password was changed while it was checked.
    private func startSession(
        for user: UserAccount,
        _ attempt: LoginAttempt,
        _ form: LoginForm,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> SessionStart? {
        do {
            return try await SessionStart(
                of: user.subject,
                at: now,
                by: services.passwordAuthentication,
                for: form.pending,
                replacing: form.cookie,
                judgedBy: user.passwordHash,
                now: now,
                services
            )
        } catch {
            // The server failed, not the user.
            if error.status >= 500 { await attempt.takeBack() }
            throw error
        }
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
