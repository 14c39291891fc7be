// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import ServerStorage

/// The options of `keybound client add` about the requests of a client.
enum ClientRequestOptions {
    private static let detailType = Option.list(
        "--authorization-details-type",
        "TYPE",
        "a type of authorization details that it may request (RFC 9396)"
    )
    private static let requireSigned = Option.flag(
        "--require-signed-request-object",
        "accept only authorization requests that it signed with one of its keys (RFC 9101)"
    )
    private static let requestAlgorithm = Option.value(
        "--request-object-alg",
        "ALG",
        "the signature algorithm of its signed requests (default: any that its keys allow)"
    )
    private static let requireBoundCodes = Option.flag(
        "--require-bound-authorization-codes",
        "accept its authorization requests only with dpop_jkt, or pushed with a DPoP proof (RFC 9449 section 10)"
    )
    private static let noncePolicy = Option.value(
        "--nonce-policy",
        "POLICY",
        "when its DPoP proofs need a nonce: required, on-skew or off (default: as the server is configured)"
    )
    private static let allowBearer = Option.flag(
        "--allow-bearer-tokens",
        "issue it tokens without a DPoP proof, if the server allows that"
    )

    static let all = [detailType, requireSigned, requestAlgorithm, requireBoundCodes, noncePolicy, allowBearer]

    static func apply(_ arguments: ParsedArguments, to client: inout RegisteredClient) throws {
        client.authorizationDetailTypes = arguments.values(detailType)
        client.requireSignedRequestObject = arguments.has(requireSigned)
        client.dpopBoundAuthorizationCodes = arguments.has(requireBoundCodes)
        client.dpopBoundAccessTokens = !arguments.has(allowBearer)
        client.requestObjectSigningAlgorithm = try algorithm(arguments)
        client.noncePolicy = try policy(arguments)
    }

    private static func algorithm(_ arguments: ParsedArguments) throws -> SignatureAlgorithm? {
        guard let text = arguments.value(requestAlgorithm) else { return nil }
        let algorithm = SignatureAlgorithm(rawValue: text)
        guard SignatureAlgorithm.all.contains(algorithm) else {
            throw CommandFailure.usage("--request-object-alg is not a signature algorithm such as ES256")
        }
        return algorithm
    }

    private static func policy(_ arguments: ParsedArguments) throws -> DPoPNoncePolicy? {
        guard let text = arguments.value(noncePolicy) else { return nil }
        let known: [DPoPNoncePolicy] = [.required, .onSkew, .off]
        guard let policy = known.first(where: { $0.rawValue == text }) else {
            throw CommandFailure.usage("--nonce-policy must be required, on-skew or off")
        }
        return policy
    }
}
#endif
