// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The answers of the authorization challenge endpoint that are no errors of the request.
enum ChallengeResponse {
    /// Asks for a step (OAuth 2.0 for First-Party Applications section 5.2.2.1).
    static func ask(
        _ session: StoredFirstPartySession,
        _ value: String,
        problem: SignInProblem? = nil,
        after request: some ProvenStage,
        _ services: Services
    ) -> HTTPResponse {
        var object = OAuthErrorResponse(
            .insufficientAuthorization,
            errorDescription: "the user has to answer a step"
        ).json
        add(value, of: session, at: request.now, to: &object)
        object[FirstPartyParameter.problem] = problem.map { .string($0.rawValue) }
        object[FirstPartyParameter.steps] = .array(
            SignInSteps.offered(in: session).map { .object($0.offer(session)) }
        )
        return response(object, status: 403, after: request, services)
    }

    /// Hands out the code (section 5.2.1).
    static func code(
        _ code: String,
        _ session: StoredFirstPartySession,
        _ value: String,
        after request: some ProvenStage,
        _ services: Services
    ) -> HTTPResponse {
        var object: JSONObject = [FirstPartyParameter.authorizationCode: .string(code)]
        add(value, of: session, at: request.now, to: &object)
        return response(object, status: 200, after: request, services)
    }

    /// Leads to the browser (section 5.2.2.1.1).
    static func redirect(
        _ web: WebRedirection,
        after request: some ProvenStage,
        _ services: Services
    ) -> HTTPResponse {
        var object = OAuthErrorResponse(
            .redirectToWeb,
            errorDescription: "the sign-in goes on in a browser"
        ).json
        if let uri = web.uri {
            let lifetime = services.configuration.lifetimes.authorizationRequest.components.seconds
            object["request_uri"] = .string(uri.text)
            object["expires_in"] = .number(JSONNumber(lifetime))
        }
        return response(object, status: 403, after: request, services)
    }

    private static func add(
        _ value: String,
        of session: StoredFirstPartySession,
        at now: Timestamp,
        to object: inout JSONObject
    ) {
        object[FirstPartyParameter.authSession] = .string(value)
        object[FirstPartyParameter.authSessionExpiresIn] = .number(
            JSONNumber((session.expiresAt - now).components.seconds)
        )
    }

    private static func response(
        _ object: JSONObject,
        status: Int,
        after request: some ProvenStage,
        _ services: Services
    ) -> HTTPResponse {
        var response = HTTPResponse.json(object, status: status)
        response.offerNonce(after: request, services)
        return response
    }
}
