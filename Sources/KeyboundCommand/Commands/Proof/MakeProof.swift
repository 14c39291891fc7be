// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import StrictJSON

/// `keybound proof make`.
enum MakeProof: Command {
    private static let key = Option.value(
        "--key",
        "FILE",
        "the private key as an EC, Ed25519 or RSA JWK",
        default: "the key of the account"
    )
    private static let throwawayKey = Option.flag(
        "--throwaway-key",
        "create a key for this proof only, and discard it"
    )
    private static let accessTokenFile = Option.value(
        "--access-token-file",
        "FILE",
        "the access token that the request carries, for ath"
    )
    private static let nonce = Option.value("--nonce", "NONCE", "the latest nonce from the server")

    #if os(Linux)
    private static let accountOptions = AccountSelection.options + AccountKey.openingOptions
    #else
    private static let accountOptions: [Option] = []
    #endif

    static let syntax = CommandSyntax(
        "proof make",
        "create a DPoP proof for one request (RFC 9449 section 4.2)",
        details: [
            "Prints the value of the DPoP header field. A proof works once, and only for a few minutes. By default it "
                + "is signed with the key of the signed-in account.",
            "htu is --url without query and fragment, and its path stays as you write it: give the URL that the request is "
                + "sent to, percent-encodings included (RFC 9449 section 4.2).",
            "A server that demands a nonce answers use_dpop_nonce to the first proof, with the nonce in DPoP-Nonce: make "
                + "another one with --nonce (RFC 9449 sections 8 and 9).",
        ],
        options: [key, throwawayKey, ProvedRequest.method, ProvedRequest.url, accessTokenFile, nonce] + accountOptions
            + [.json],
        examples: [
            .init(
                "See what a proof looks like",
                "keybound proof make --throwaway-key --url https://api.example.com/me | keybound jwt inspect"
            ),
            .init(
                "Call an API with curl",
                "keybound token show --reveal >token.txt\n"
                    + "printf 'Authorization: DPoP %s\\nDPoP: %s\\n' \"$(cat token.txt)\" \\\n"
                    + "  \"$(keybound proof make --access-token-file token.txt --url https://api.example.com/me)\" >fields.txt\n"
                    + "curl -H @fields.txt https://api.example.com/me"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let key = try await signingKey(arguments)
        let targetURI = try ProvedRequest.targetURI(arguments)
        let accessToken = try arguments.value(accessTokenFile).map { try InputFile.line($0) }
        let proof = try await DPoPProofFactory(key: key).proof(
            method: ProvedRequest.method(arguments),
            targetURI: targetURI,
            accessToken: accessToken,
            nonce: arguments.value(nonce)
        )
        if arguments.has(.json) {
            console.printJSON(["proof": .string(proof), "jkt": .string(key.publicKey.thumbprint.description)])
        } else {
            console.print(proof)
        }
    }

    private static func signingKey(_ arguments: ParsedArguments) async throws -> any SigningKey {
        try arguments.requireAtMostOne(of: [key, throwawayKey])
        if let path = arguments.value(key) { return try PrivateJWK.key(in: path) }
        if arguments.has(throwawayKey) { return try SoftwareSigningKey() }
        #if os(Linux)
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        try AccountKey.require(of: record)
        return try await AccountKey(opening: record, in: directory, arguments).load()
        #else
        throw CommandFailure.usage("there is no key", hint: "give --key FILE or --throwaway-key")
        #endif
    }
}
