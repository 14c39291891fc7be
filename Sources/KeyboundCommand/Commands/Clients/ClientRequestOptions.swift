// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import ServerStorage

/// The options of `keybound client add` and `keybound client set` about the requests of a client.
enum ClientRequestOptions {
    private static let requirePush = Option.flag(
        "--require-pushed-authorization-requests",
        "accept only its pushed authorization requests (RFC 9126)"
    )
    private static let detailType = Option.list(
        "--authorization-details-type",
        "TYPE",
        "a type of authorization details that it may request (RFC 9396)"
    )
    private static let noDetailType = Option.flag(
        "--no-authorization-details-type",
        "let it request no authorization details"
    )
    private static let requireSigned = Option.flag(
        "--require-signed-request-object",
        "accept only authorization requests that it signed with one of its keys (RFC 9101)"
    )
    private static let requestAlgorithm = Option.value(
        "--request-object-alg",
        "ALG",
        "the signature algorithm of its signed requests",
        default: "any that its keys allow"
    )
    private static let requireBoundCodes = Option.flag(
        "--require-bound-authorization-codes",
        "accept its authorization requests only with dpop_jkt, or pushed with a DPoP proof (RFC 9449 section 10), and its "
            + "device authorization requests only with a proof"
    )
    private static let firstParty = Option.flag(
        "--first-party",
        "let it ask for the password itself, without consent: an app that you publish (OAuth 2.0 for First-Party "
            + "Applications)"
    )
    private static let noncePolicy = Option.value(
        "--nonce-policy",
        "POLICY",
        "when its DPoP proofs need a nonce: required, on-skew or off",
        default: "as the server is configured",
        choices: ["required", "on-skew", "off"]
    )
    private static let allowBearer = Option.flag(
        "--allow-bearer-tokens",
        "issue it tokens without a DPoP proof, if the server allows that"
    )

    static let all = flags.map(\.on) + [detailType, requestAlgorithm, noncePolicy]
    /// The same, and what takes a flag back or empties a list.
    static let changes = all + flags.map(\.off) + [noDetailType]

    private struct Flag {
        let on: Option
        let off: Option
        let path: any WritableKeyPath<RegisteredClient, Bool> & Sendable
        var value = true
    }

    private static let flags = [
        flag(requirePush, "accept its requests also by the browser", \.requirePushedAuthorizationRequests),
        flag(requireSigned, "accept its requests also unsigned", \.requireSignedRequestObject),
        flag(requireBoundCodes, "accept its requests also without a key", \.dpopBoundAuthorizationCodes),
        flag(firstParty, "let it sign users in in the browser only", \.isFirstParty),
        flag(allowBearer, "issue it tokens only with a DPoP proof", \.dpopBoundAccessTokens, false),
    ]

    private static func flag(
        _ on: Option,
        _ help: String,
        _ path: any WritableKeyPath<RegisteredClient, Bool> & Sendable,
        _ value: Bool = true
    ) -> Flag {
        Flag(on: on, off: .flag("--" + "no-" + on.name.dropFirst(2), help), path: path, value: value)
    }

    /// Changes what an option was given for, and nothing else.
    static func apply(_ arguments: ParsedArguments, to client: inout RegisteredClient) throws {
        if arguments.has(detailType) { client.authorizationDetailTypes = arguments.values(detailType) }
        for flag in flags where arguments.has(flag.on) { client[keyPath: flag.path] = flag.value }
        if let algorithm = try algorithm(arguments) { client.requestObjectSigningAlgorithm = algorithm }
        if let policy = try policy(arguments) { client.noncePolicy = policy }
        // What such an app needs in any case.
        if arguments.has(firstParty) { client.dpopBoundAuthorizationCodes = true }
    }

    /// The same, takes flags back and empties lists.
    static func change(_ arguments: ParsedArguments, in client: inout RegisteredClient) throws {
        try apply(arguments, to: &client)
        if try ClientMetadataOptions.isEmptied(noDetailType, arguments, or: detailType) {
            client.authorizationDetailTypes = []
        }
        for flag in flags where arguments.has(flag.off) {
            guard !arguments.has(flag.on) else {
                throw CommandFailure.usage("\(flag.on.name) and \(flag.off.name) exclude each other")
            }
            client[keyPath: flag.path] = !flag.value
        }
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
