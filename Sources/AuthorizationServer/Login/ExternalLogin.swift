// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// Sends the browser to an external login provider with a signed challenge (JWT).
struct ExternalLogin {
    /// `typ` of the challenge.
    static let challengeType = "login-challenge+jwt"

    let system: LoginProvider
    let services: Services

    init?(_ services: Services) {
        guard let system = services.configuration.loginSystem else { return nil }
        (self.system, self.services) = (system, services)
    }

    /// Redirects the browser to the login provider.
    func begin(
        _ pending: any PendingSignIn,
        in cookie: BrowserCookie,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let key = services.keys.now.accessTokenKey
        let challenge: String
        do {
            challenge = try await CompactJWS.sign(
                header: ["typ": .string(Self.challengeType), "kid": .string(key.keyID)],
                payload: JSONValue.object(claims(pending, in: cookie, at: now)).encoded(),
                with: key
            )
        } catch {
            services.report("a login challenge was not signed: \(error)")
            throw .unavailable
        }
        return .seeOther(system.loginURL.appendingQuery(["login_challenge": challenge]).description)
    }

    /// The claims that the login provider may need, or show to the user.
    private func claims(_ pending: any PendingSignIn, in cookie: BrowserCookie, at now: Timestamp) -> JSONObject {
        let (request, demand) = (pending.request, pending.request.authentication)
        let end = pending.createdAt + services.configuration.lifetimes.authorizationRequest
        var claims: JSONObject = [
            "iss": .string(services.configuration.issuer.description),
            "aud": .string(system.loginURL.description),
            "iat": .number(JSONNumber(now.secondsSince1970)),
            "exp": .number(JSONNumber(end.secondsSince1970)),
            "jti": .string(Self.challengeID(of: pending.uri, in: cookie)),
            "answer_uri": .string(services.addresses.externalLogin.uri.description),
            "scope": .string(request.scope.description),
        ]
        // A user who signs in to enter the code of a device does so for no client yet.
        if let client = pending.clientOfRequest {
            claims["client_id"] = .string(client.clientID)
            claims["client_name"] = .string(client.name)
            claims["redirect_uri"] = .string(request.redirectURI)
        }
        if !request.resources.isEmpty { claims["resource"] = .strings(request.resources) }
        if !request.authorizationDetails.isEmpty {
            claims["authorization_details"] = .array(request.authorizationDetails.map { .object($0.json) })
        }
        demand.write(to: &claims)
        claims["nonce"] = nil
        return claims
    }

    /// Identifies the request, and is valid only in the browser that holds the cookie.
    static func challengeID(of uri: RequestURI, in cookie: BrowserCookie) -> String {
        uri.reference + "." + cookie.token(for: "login challenge", uri.reference)
    }

    /// The `request_uri` of a challenge; `nil` if the challenge was not made for this browser.
    static func requestURI(ofChallenge id: String, in cookie: BrowserCookie) -> RequestURI? {
        guard let dot = id.lastIndex(of: ".") else { return nil }
        let uri = RequestURI(reference: String(id[..<dot]))
        return ConstantTime.areEqual(id, challengeID(of: uri, in: cookie)) ? uri : nil
    }
}
