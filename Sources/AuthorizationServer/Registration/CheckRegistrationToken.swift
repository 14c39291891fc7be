// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage

/// RFC 7591 section 3: registration requires an initial access token of the operator, or is open by configuration.
///
/// Whether the token has a use left is checked again when the client is stored.
struct CheckRegistrationToken: Check {
    let section = "RFC 7591 section 3"

    func run(
        _ request: Found<ReceivedRequest, UsableRegistrationToken>,
        _ services: Services
    ) throws(ProtocolFailure) -> RegistrationTokenRequest {
        guard let token = request.value else {
            return RegistrationTokenRequest(
                received: request.base,
                token: try openRegistration(request.base, services)
            )
        }
        return RegistrationTokenRequest(received: request.base, token: token)
    }

    /// RFC 7591 section 5: a request without a token, of an address that did not register too many clients.
    ///
    /// A wrong token is not treated as none: a client that sends one expects what it allows.
    private func openRegistration(
        _ request: ReceivedRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> UsableRegistrationToken {
        let rules = services.configuration.unregisteredClients
        guard rules.isRegistrationOpen, request.http.fields["Authorization"] == nil else {
            throw Self.hasToken(request) ? ProtocolFailure.registrationRejected : .registrationTokenMissing
        }
        if let wait = services.limiters.registration.take(services.limitedAddress, at: request.now) {
            services.record(.limitReached, detail: "registrations of an address")
            throw .tooManyRequests("for registration", retryAfter: wait)
        }
        let policy = RegistrationTokenPolicy(scope: rules.scope, allowsBearerTokens: rules.allowsBearerTokens)
        return UsableRegistrationToken(hash: nil, policy: policy)
    }

    private static func hasToken(_ request: ReceivedRequest) -> Bool {
        request.http.fields.values(for: "Authorization").contains {
            (try? Credentials.parse($0))?.hasScheme("Bearer") ?? false
        }
    }
}

extension ProtocolFailure {
    /// RFC 6750 section 3.1: one error for every invalid token.
    static let registrationRejected = ProtocolFailure(
        .invalidToken,
        "clients register with a token of the operator, which this is not, or is no more",
        status: 401,
        fields: ["WWW-Authenticate": "Bearer error=\"invalid_token\""]
    )

    /// RFC 6750 section 3.1: a challenge has no error if the request had no token, or credentials of another kind.
    static let registrationTokenMissing = ProtocolFailure(
        .invalidToken,
        "clients register with a token of the operator: send it as Authorization: Bearer",
        status: 401,
        fields: ["WWW-Authenticate": "Bearer realm=\"registration\""]
    )
}
