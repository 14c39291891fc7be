// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// The endpoint to which the external login provider redirects the browser.
struct ExternalLoginEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.externalLogin, now: services.clock.now())
        // Any web page can cause requests without the cookie, such as images, in the browsers of an address. They cost
        // nothing and count nowhere.
        guard let handOff = ExternalLogin(services), let cookie = BrowserCookie(in: http, services) else {
            return AuthorizationErrorResponse.page(for: .otherBrowserWithoutCookies, services)
        }
        // RFC 6585 section 4: all others count, since any of them may read the storage, and a cookie can be invented.
        if let wait = services.limiters.loginResponse.take(services.limitedAddress, at: received.now) {
            services.record(.limitReached, detail: "requests with login responses of an address")
            return AuthorizationErrorResponse.page(
                for: .tooManyRequests("from this address", retryAfter: wait),
                services
            )
        }
        do throws(ProtocolFailure) {
            let request = try CheckQuery().run(received, services)
            let response = try await ExternalLoginResponse(
                request.requiredParameter("login_response"),
                of: handOff.system,
                in: cookie,
                at: request.now,
                services
            )
            try await response.record(services, at: request.now)
            return try await respond(to: response, in: cookie, at: request.now)
        } catch {
            return AuthorizationErrorResponse.page(for: counted(error, at: received.now), services)
        }
    }

    /// Counts a rejected response against its address, and logs the reason.
    ///
    /// Only what is rejected is counted here, also beyond the signature checks of a sign-in. So a valid response passes
    /// whatever the address has sent before, unless that was a flood.
    private func counted(_ failure: ProtocolFailure, at now: Timestamp) -> ProtocolFailure {
        guard (400..<500).contains(failure.status) else { return failure }
        if let wait = services.limiters.login.take(services.limitedAddress, at: now) {
            services.record(.limitReached, detail: "login responses of an address")
            return .tooManyRequests("from this address", retryAfter: wait)
        }
        services.report("a response of the login system was rejected: \(failure.problem ?? failure.description)")
        return failure
    }

    /// Handles POST: the browser does not send the cookie with a cross-site form, but does after the redirect.
    @Sendable func take(_ http: HTTPRequest) async -> HTTPResponse {
        do {
            return try AuthorizationEndpoint.asQuery(http, at: services.addresses.externalLogin)
        } catch {
            return AuthorizationErrorResponse.page(for: error, services)
        }
    }

    private func respond(
        to response: ExternalLoginResponse,
        in cookie: BrowserCookie,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let authorization = response.pending as? PendingAuthorization
        guard case .signedIn(let subject, let name, let claims, let time, let context, let scope) = response.outcome
        else {
            guard case .refused(let code) = response.outcome else { throw .requestGone }
            services.record(.signInFailed, clientID: authorization?.client.clientID, detail: "login system")
            guard let authorization else {
                // The response is valid, so it does not count as a rejected one.
                let denial = ProtocolFailure(.accessDenied, "the login system said no", status: 403)
                return AuthorizationErrorResponse.page(for: denial, services)
            }
            let error = OAuthErrorResponse(code, errorDescription: "the login system said no")
            // The login system, which leads users through pages of its own, says that one was there.
            return try await Interaction(services: services).refuse(authorization, error, for: .signedIn, at: now)
        }
        try await ExternalAccount.store(subject: subject, name: name, claims: claims, services, at: now)
        // The login system checked the user: there is no password that could have changed meanwhile.
        guard
            let start = try await SessionStart(
                of: subject,
                at: time,
                by: context,
                for: response.pending,
                replacing: cookie,
                judgedBy: nil,
                now: now,
                services
            )
        else { throw .unavailable }
        services.record(.signInSucceeded, subject: subject, detail: "login system")
        var next = HTTPResponse.seeOther(response.pending.resumption(services))
        if let scope, let authorization, authorization.fitness(of: start.session, at: now) == .fits,
            let code = try await CodeResponse(services: services).give(
                for: authorization,
                to: start.session,
                scope: scope,
                by: .given,
                at: now
            )
        {
            next = code
        }
        next.fields.append(name: "Set-Cookie", value: start.cookie.setCookie(services))
        return next
    }
}
