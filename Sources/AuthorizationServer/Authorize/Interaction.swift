// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Shows the page that a pending request needs next: login or consent.
struct Interaction {
    let services: Services

    /// Responds to a request from the browser: with a code if the session and stored consent suffice, otherwise with a
    /// page.
    ///
    /// If the request object can be used only once, the browser is redirected to the `request_uri` of the stored
    /// request. So the user can reload the page, while anyone else who has the request object is refused (RFC 9101
    /// section 10.2).
    ///
    /// - Parameters:
    ///   - checked: The request.
    ///   - isSingleUse: Whether it came in a request object that can be used only once.
    ///   - browser: Who is signed in in the browser.
    ///   - http: The request of the browser.
    ///   - now: The time.
    /// - Returns: The response.
    /// - Throws: A failure to show as a page, or to send to the client.
    func respond(
        to checked: CheckedAuthorizationRequest,
        isSingleUse: Bool,
        from browser: SessionReads,
        in http: HTTPRequest,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        if let response = try await rememberedResponse(to: checked, browser, at: now) { return response }
        let (uri, stored) = checked.pending(services)
        try await services.add(stored, at: now)
        // No consent is stored, or it would have been used above.
        let pending = PendingAuthorization(uri: uri, checked: checked, browser: browser)
        if isSingleUse { return .seeOther(pending.resumption(services)) }
        return try await page(for: pending, in: http, at: now)
    }

    /// A code for a request that needs no interaction.
    ///
    /// Such a request is not stored.
    private func rememberedResponse(
        to checked: CheckedAuthorizationRequest,
        _ browser: SessionReads,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse? {
        guard let session = browser.session,
            checked.fitness(of: session.authenticatedUser, signedInForThis: false, at: now) == .fits,
            let consent = ConsentLookup(services: services)
                .needed(for: checked.request, by: checked.client, of: session.subject, at: now)
        else { return nil }
        return try await CodeResponse(services: services).give(for: checked, to: session, by: consent, at: now)
    }

    /// The next page for a pending request in a browser.
    func page(
        for pending: PendingAuthorization,
        in http: HTTPRequest,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let plan = pending.signInPlan(at: now)
        if case .refuse(let error) = plan { return try await refuse(pending, error, at: now) }
        guard let cookie = BrowserCookie(in: http, services) else {
            let cookie = BrowserCookie(at: now, entropy: services.entropy)
            var response = try await askWho(pending, in: cookie, at: now)
            response.fields.append(name: "Set-Cookie", value: cookie.setCookie(services))
            return response
        }
        guard case .finished = plan, let (session, user) = pending.signedIn else {
            return try await askWho(pending, in: cookie, at: now)
        }
        let memory = ConsentLookup(services: services)
        if let decision = memory.decision(for: pending, of: user.subject, at: now),
            let response = try await CodeResponse(services: services).give(
                for: pending,
                to: session,
                scope: pending.request.scope,
                by: decision,
                at: now
            )
        {
            return response
        }
        guard !pending.request.authentication.prompts.contains(.noPage) else {
            return try await refuse(pending, Self.consentRequired, at: now)
        }
        return consentPage(for: pending, user: user, cookie: cookie)
    }

    /// Shows the login page, or redirects to the external login provider.
    func askWho(
        _ pending: any PendingSignIn,
        in cookie: BrowserCookie,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        guard let handOff = ExternalLogin(services) else { return loginPage(for: pending, cookie: cookie) }
        return try await handOff.begin(pending, in: cookie, at: now)
    }

    /// Sends an error to the client (OpenID Connect Core section 3.1.2.6), and consumes the request.
    ///
    /// - Parameters:
    ///   - pending: The request.
    ///   - error: The error.
    ///   - user: The user who must be at the browser; `nil` for the one who is signed in.
    ///   - now: The time.
    /// - Returns: The redirect, or a page that leads to the client.
    /// - Throws: A failure to show as a page.
    func refuse(
        _ pending: PendingAuthorization,
        _ error: OAuthErrorResponse,
        for user: ErrorRedirect.User? = nil,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        if let device = pending.request.deviceCodeHash {
            return try await DeviceDecision(services: services).deny(device, pending, at: now)
        }
        let (reference, attempt) = (pending.uri.hash, services.newAttempt())
        let isConsumed = try await services.stored {
            try await $0.consumeAuthorizationRequest(reference, by: attempt, at: now)
        }
        guard isConsumed else { throw .requestGone }
        let request = pending.request
        return ErrorRedirect(
            error: error,
            client: pending.client,
            redirectURI: request.redirectURI,
            responseMode: request.responseMode,
            state: request.state,
            user: user ?? (pending.signedIn == nil ? .unknown : .signedIn),
            isSilent: request.authentication.prompts.contains(.noPage)
        ).response(services)
    }

    private static let consentRequired = OAuthErrorResponse(
        .consentRequired,
        errorDescription: "the user must consent"
    )

    func loginPage(
        for pending: any PendingSignIn,
        cookie: BrowserCookie,
        username: String? = nil,
        problem: LoginPage.Problem? = nil,
        status: Int = 200
    ) -> HTTPResponse {
        let page = LoginPage(
            serverName: services.configuration.serverName,
            clientName: pending.clientOfRequest?.name,
            userCode: (pending as? DeviceSignIn)?.userCode?.shown,
            action: services.addresses.login.path,
            requestReference: pending.uri.reference,
            csrfToken: cookie.csrfToken(for: pending.uri.reference),
            username: username ?? pending.request.authentication.loginHint,
            problem: problem
        )
        return .page(page.html(), status: status, script: SubmitGuard.script, services)
    }

    private func consentPage(
        for pending: PendingAuthorization,
        user: UserAccount,
        cookie: BrowserCookie
    ) -> HTTPResponse {
        let descriptions = services.configuration.scopes
        let page = ConsentPage(
            serverName: services.configuration.serverName,
            clientName: pending.client.name,
            redirectHost: Self.destination(of: pending.request.redirectURI),
            userName: user.username,
            scopes: pending.request.scope.tokens.map { name in
                ScopeText(name: name, description: descriptions.first { $0.name == name }?.text)
            },
            details: pending.request.authorizationDetails.map { detail in
                DetailText(detail, of: services.configuration.authorizationDetailType(detail.type))
            },
            resources: pending.request.resources,
            hasRegisteredItself: pending.client.origin == .registeredItself,
            documentHost: pending.client.origin == .document
                ? (try? URI(parsing: pending.client.clientID))?.host ?? pending.client.clientID : nil,
            action: services.addresses.consent.path,
            requestReference: pending.uri.reference,
            csrfToken: cookie.csrfToken(for: pending.uri.reference),
            shown: pending.shown,
            canBeRemembered: ConsentLookup(services: services).isAllowed(for: pending.request, of: pending.client),
            isForDevice: pending.request.deviceCodeHash != nil
        )
        return .page(
            page.html(),
            redirectURI: pending.request.redirectURI,
            script: SubmitGuard.script,
            services
        )
    }

    /// The redirect target as shown to the user: a host, or the scheme of an app.
    private static func destination(of redirectURI: String) -> String {
        guard let uri = try? URI(parsing: redirectURI) else { return redirectURI }
        return uri.host ?? uri.scheme + ":"
    }
}
