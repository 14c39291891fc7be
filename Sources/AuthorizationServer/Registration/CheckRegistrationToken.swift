// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage

/// RFC 7591 section 3: registration requires an initial access token of the operator.
///
/// Whether the token has a use left is checked again when the client is stored.
struct CheckRegistrationToken: Check {
    let section = "RFC 7591 section 3"

    func run(
        _ request: Found<ReceivedRequest, UsableRegistrationToken>,
        _ services: Services
    ) throws(ProtocolFailure) -> RegistrationTokenRequest {
        guard let token = request.value else { throw .registrationRejected }
        return RegistrationTokenRequest(received: request.base, token: token)
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
}
