// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage

/// RFC 9101 section 6: a request object is signed by the client, issued for this server, and valid now.
///
/// If there is one, only its parameters are used.
struct CheckRequestObject: Check {
    let section = "RFC 9101 section 6"

    func run(_ request: ClientRequest, _ services: Services) throws(ProtocolFailure) -> ClientRequest {
        let (client, configuration) = (request.client, services.configuration)
        guard let text = try request.parameter("request") else {
            guard !configuration.requireSignedRequestObject, !client.requireSignedRequestObject else {
                throw ProtocolFailure(.invalidRequest, "the authorization request must be signed (JAR)")
            }
            return request
        }
        let algorithms = configuration.requestObjectAlgorithms
        let validation = JWTValidation.requestObject(
            clientID: client.clientID,
            issuer: configuration.issuer.description,
            algorithms: client.requestObjectSigningAlgorithm.map { algorithms.intersection([$0]) } ?? algorithms
        )
        guard let claims = try? validation.validate(text, with: request.keys, at: request.now),
            let parameters = FormParameters(requestObject: claims.object)
        else {
            throw ProtocolFailure(
                .invalidRequestObject,
                "the request object is not signed by this client, not for this server, or not valid now"
            )
        }
        // Section 6.3: parameters outside the request object are ignored.
        return request.replacing(
            FormRequest(request.form.received, parameters),
            by: SingleUseJWT(.requestObject, claims, of: client, leeway: validation.leeway)
        )
    }
}
