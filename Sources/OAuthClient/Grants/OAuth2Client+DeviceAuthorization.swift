// SPDX-License-Identifier: Apache-2.0

import DPoP
public import HTTPMessage
public import OAuthCore
import OAuthSystem
import StrictJSON

extension OAuth2Client {
    /// Starts a sign-in on another device, for programs without a browser.
    ///
    /// Show the user ``DeviceAuthorization/verificationURI`` and ``DeviceAuthorization/userCode``, then wait with
    /// ``completeDeviceAuthorization(_:sleepingOn:)``. If the server demands a proof for this request, the request is sent again
    /// with one.
    ///
    /// - Parameters:
    ///   - scopes: The scope tokens to request, one each.
    ///   - resources: The APIs that the tokens are for (RFC 8707).
    ///   - authorizationDetails: What to request in more detail than scopes can express (RFC 9396).
    ///   - additionalParameters: Further parameters of the request.
    /// - Returns: What to show to the user.
    /// - Throws: ``OAuthClientError/Code/unsupportedByServer`` without a device authorization endpoint,
    ///   ``OAuthClientError/Code/insecureURL`` when the verification page is not https,
    ///   ``OAuthClientError/Code/invalidArgument``, ``OAuthClientError/Code/clientCertificateMissing``,
    ///   ``OAuthClientError/Code/malformedResponse``, ``OAuthClientError/Code/serverRejected``,
    ///   ``OAuthClientError/Code/serverUnavailable``, ``OAuthClientError/Code/keyUnavailable``,
    ///   ``OAuthClientError/Code/transportFailed``, ``OAuthClientError/Code/cancelled``.
    ///
    /// ## Specification
    ///
    /// [RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)
    public func startDeviceAuthorization(
        scopes: [String],
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        additionalParameters: FormParameters = [:]
    ) async throws(OAuthClientError) -> DeviceAuthorization {
        let access = try RequestedAccess(
            scope: Self.scope(scopes),
            resources: resources,
            authorizationDetails: authorizationDetails
        )
        let form = try Self.form([:], access, adding: additionalParameters)
        let endpoint = try await address(of: .deviceAuthorization)
        let context = try await contextForGrant(access)
        let isAttested = configuration.clientAuthentication.isAttested
        var response = try await requestDeviceCode(form, at: endpoint, provingWith: isAttested ? context : nil)
        // RFC 9449 defines no proof for this request, but a server that binds device codes to keys requires one.
        if !isAttested, context != nil, ProofResult(response).refusesProof {
            response = try await requestDeviceCode(form, at: endpoint, provingWith: context)
        }
        guard response.status == 200 else {
            throw OAuthClientError(rejectedBy: "the server, asked for a sign-in with another device,", response)
        }
        let object: JSONObject
        do {
            object = try response.jsonObject()
        } catch {
            throw OAuthClientError(.malformedResponse, "the device authorization cannot be read", underlying: error)
        }
        return try DeviceAuthorization(
            parsing: object,
            access: access,
            now: clock.now(),
            keyThumbprint: context?.thumbprint,
            policy: urlPolicy
        )
    }

    private func requestDeviceCode(
        _ form: FormParameters,
        at endpoint: URI,
        provingWith context: DPoPContext?
    ) async throws(OAuthClientError) -> HTTPResponse {
        var attempt = RequestAttempt(.deviceAuthorization)
        return try await repeater.run(.harmless, &attempt) { attempt throws(OAuthClientError) in
            try await server.post(form, to: endpoint, provingWith: context, &attempt)
        }
    }

    /// Waits until the user has finished on the other device.
    ///
    /// The client polls at the server's interval. Each `slow_down` adds 5 seconds to the interval for good, and the
    /// interval grows while the server does not respond. A request that is repeated with a nonce counts as the same
    /// poll.
    ///
    /// - Parameters:
    ///   - authorization: The result of
    ///     ``startDeviceAuthorization(scopes:resources:authorizationDetails:additionalParameters:)``.
    ///   - sleeper: The clock to wait on, which must be monotonic.
    /// - Returns: The tokens, which are not stored: ``startSession(with:)`` does that.
    /// - Throws: ``OAuthClientError/Code/authorizationRejected`` when the user denied the request,
    ///   ``OAuthClientError/Code/timedOut`` when the codes expired before the user finished,
    ///   ``OAuthClientError/Code/cancelled``, and the codes of ``exchangeAuthorizationCode(_:)``, except those that
    ///   only say that the server does not respond now.
    ///
    /// ## Specification
    ///
    /// [RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4),
    /// [RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)
    public func completeDeviceAuthorization(
        _ authorization: DeviceAuthorization,
        sleepingOn sleeper: some Clock<Duration> = ContinuousClock()
    ) async throws(OAuthClientError) -> TokenSet {
        let context = try await keyring.context(boundTo: authorization.keyThumbprint)
        // From here on the monotonic clock decides.
        let end = sleeper.now.advanced(by: authorization.expiresAt - clock.now())
        var schedule = DevicePollSchedule(interval: authorization.interval)
        while sleeper.now.advanced(by: schedule.wait) < end {
            do {
                try await sleeper.sleep(for: schedule.wait)
            } catch {
                throw OAuthClientError(error, otherwise: .cancelled, "the clock does not wait")
            }
            do {
                return try await deviceTokens(authorization, context)
            } catch {
                try schedule.adjust(to: error)
            }
        }
        throw OAuthClientError(.timedOut, "the user did not finish in time")
    }

    private func deviceTokens(
        _ authorization: DeviceAuthorization,
        _ context: DPoPContext?
    ) async throws(OAuthClientError) -> TokenSet {
        var form: FormParameters = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            "device_code": authorization.deviceCode,
        ]
        for resource in authorization.access.resources { form.append("resource", resource) }
        let request = form
        // The poll may use up the device code: what it gets is returned or revoked, never lost.
        return try await Uncancelled.run(abandoned: discard) { () async throws(OAuthClientError) in
            // The polls have a pace of their own.
            let answer = try await requestTokens(request, provingWith: context, attempts: 1)
            let tokens = try await tokenSet(answer, requested: authorization.access, context)
            return try await identified(tokens, by: answer, for: authorization)
        }
    }
}
