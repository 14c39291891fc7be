// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import PKCE
import ServerStorage

/// A user who signs in before entering the code that a device shows.
///
/// RFC 8628 section 5.1: a code is looked up only for an account, so that guesses are counted by account.
struct DeviceSignIn: PendingSignIn {
    let uri: RequestURI
    let request: AuthorizationRequest
    let createdAt: Timestamp
    /// The code from the address, which the pages carry on; it is not looked up.
    let userCode: UserCode?

    var clientOfRequest: RegisteredClient? { nil }

    /// Back to the page that asks for the code.
    func resumption(_ services: Services) -> String {
        Self.page(of: userCode, services)
    }

    static func page(of userCode: UserCode?, _ services: Services) -> String {
        let path = services.addresses.deviceVerification.path
        guard let userCode else { return path }
        let parameters: FormParameters = ["user_code": userCode.shown]
        return path + "?" + parameters.encoded()
    }

    /// Stores the request, bound to a browser.
    static func start(
        in cookie: BrowserCookie,
        for userCode: UserCode?,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> DeviceSignIn {
        var request = AuthorizationRequest(
            clientID: "",
            redirectURI: services.addresses.deviceVerification.uri.description,
            scope: .empty,
            state: nil,
            // No code is issued for this request. The verifier is discarded, so a code could not be redeemed.
            codeChallenge: CodeVerifier(entropy: services.entropy).s256Challenge,
            dpopThumbprint: nil
        )
        request.purpose = .userCode
        let uri = RequestURI(at: now, services.entropy)
        let stored = StoredAuthorizationRequest(
            referenceHash: uri.hash,
            request: request,
            expiresAt: now + services.configuration.lifetimes.authorizationRequest,
            browserHash: cookie.hash
        )
        try await services.add(stored, at: now)
        return DeviceSignIn(uri: uri, request: request, createdAt: now, userCode: userCode)
    }
}
