// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import PKCE
import ServerStorage

/// The page on which the user enters the code that a device shows (RFC 8628 section 3.3).
///
/// A correct code creates an authorization request that is bound to this browser. Login, login provider and consent
/// page handle it like any other; the decision goes to the device.
struct DeviceVerificationEndpoint: Sendable {
    /// Replaces the reference of a request in the form of this page.
    ///
    /// References of requests are longer.
    private static let formName = "device"

    let services: Services

    /// Shows the form to a user who is signed in; any other browser signs in first.
    ///
    /// Also accepts the code in the address (section 3.3.1); the user still compares it and presses the button.
    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.deviceVerification, now: services.clock.now())
        do throws(ProtocolFailure) {
            let given = try CheckQuery().run(received, services).parameter("user_code").flatMap(UserCode.init(typed:))
            guard let cookie = BrowserCookie(in: http, services) else {
                let cookie = BrowserCookie(at: received.now, entropy: services.entropy)
                var response = try await signIn(in: cookie, given, at: received.now)
                response.fields.append(name: "Set-Cookie", value: cookie.setCookie(services))
                return response
            }
            guard try await user(in: cookie, at: received.now) != nil else {
                return try await signIn(in: cookie, given, at: received.now)
            }
            return page(in: cookie, given: given?.shown)
        } catch {
            return AuthorizationErrorResponse.page(for: error, services)
        }
    }

    /// Handles a code that the user entered.
    ///
    /// Without a session it is not looked up: guesses are counted by account.
    @Sendable func take(_ http: HTTPRequest) async -> HTTPResponse {
        let now = services.clock.now()
        do throws(ProtocolFailure) {
            let (parameters, cookie) = try BrowserForm.authentic(http, services)
            guard parameters.values(for: "request") == [Self.formName] else { throw BrowserForm.forged }
            let typed = parameters.first("user_code")
            guard let user = try await user(in: cookie, at: now) else {
                return .seeOther(DeviceSignIn.page(of: UserCode(typed: typed), services))
            }
            let guesser = UserCodeLimiter.Guesser(subject: user.subject, address: services.limitedAddress)
            let count = try await begin(guesser, at: now)
            if let wait = count.wait {
                var response = page(in: cookie, problem: .tooManyAttempts(retryAfter: wait), status: 429)
                response.fields["Retry-After"] = RetryDelayText(wait).seconds.description
                return response
            }
            guard let device = try await device(typed, at: now) else {
                services.record(.requestRejected, detail: "user code")
                return page(in: cookie, problem: .unknownCode, status: 400)
            }
            try await services.stored { _ in try await services.userCodeLimiter.takeBack(guesser, count, at: now) }
            return try await ask(for: device, in: cookie, at: now)
        } catch {
            return rejected(http, error)
        }
    }

    /// The page again if it stayed open while the user signed in in another tab; see ``BrowserForm``.
    private func rejected(_ http: HTTPRequest, _ failure: ProtocolFailure) -> HTTPResponse {
        guard failure.isSame(as: BrowserForm.outdated), let parameters = try? FormBody.parameters(of: http),
            parameters.values(for: "request") == [Self.formName]
        else { return AuthorizationErrorResponse.page(for: failure, services) }
        return .seeOther(DeviceSignIn.page(of: UserCode(typed: parameters.first("user_code")), services))
    }

    /// Counts an attempt.
    private func begin(
        _ guesser: UserCodeLimiter.Guesser,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> UserCodeLimiter.Count {
        let count = try await services.stored { _ in try await services.userCodeLimiter.begin(guesser, at: now) }
        if count.raisesAlarm {
            services.record(.userCodesGuessed, detail: "more than \(UserCodeLimiter.alarmCount) in ten minutes")
        }
        if count.wait != nil { services.record(.limitReached, subject: guesser.subject, detail: "user codes") }
        return count
    }

    private func signIn(
        in cookie: BrowserCookie,
        _ given: UserCode?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let pending = try await DeviceSignIn.start(in: cookie, for: given, services, at: now)
        return try await Interaction(services: services).askWho(pending, in: cookie, at: now)
    }

    /// The user who is signed in in a browser.
    private func user(in cookie: BrowserCookie, at now: Timestamp) async throws(ProtocolFailure) -> UserAccount? {
        try await services.stored { try await $0.reads(ofClient: nil, in: cookie.hash, at: now) }.browser.user
    }

    /// One response for every invalid code, whether wrong, expired or used.
    private func device(
        _ typed: String,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> StoredDeviceAuthorization? {
        guard let code = UserCode(typed: typed) else { return nil }
        return try await services.stored { try await $0.waitingDevice(ofUserCode: code.hash, at: now) }
    }

    private func ask(
        for device: StoredDeviceAuthorization,
        in cookie: BrowserCookie,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let page = services.addresses.deviceVerification
        var request = AuthorizationRequest(
            clientID: device.clientID,
            redirectURI: page.uri.description,
            scope: device.scope,
            state: nil,
            // No code is issued for this request. The verifier is discarded, so a code could not be redeemed.
            codeChallenge: CodeVerifier(entropy: services.entropy).s256Challenge,
            dpopThumbprint: device.dpopThumbprint
        )
        request.deviceCodeHash = device.deviceCodeHash
        request.deviceGrantID = device.grantID
        request.resources = device.resources
        request.authorizationDetails = device.authorizationDetails
        let uri = RequestURI(at: now, services.entropy)
        let stored = StoredAuthorizationRequest(
            referenceHash: uri.hash,
            request: request,
            expiresAt: now + services.configuration.lifetimes.authorizationRequest,
            // Bound to this browser: no other user reaches the consent page without comparing the code (section 5.4).
            browserHash: cookie.hash
        )
        try await services.add(stored, at: now)
        return .seeOther(try await PendingAuthorization.load(uri, in: cookie, services, at: now).resumption(services))
    }

    private func page(
        in cookie: BrowserCookie,
        given: String? = nil,
        problem: DeviceCodePage.Problem? = nil,
        status: Int = 200
    ) -> HTTPResponse {
        let page = DeviceCodePage(
            serverName: services.configuration.serverName,
            action: services.addresses.deviceVerification.path,
            fields: [("request", Self.formName), ("csrf_token", cookie.csrfToken(for: Self.formName))],
            givenCode: given,
            problem: problem
        )
        return .page(page.html(), status: status, script: SubmitGuard.script, services)
    }
}
