// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import OAuthSystem
import SigningKeys
import StrictJSON

/// `keybound keys attest`.
enum AttestKey: Command {
    static let syntax = CommandSyntax(
        "keys attest",
        "show how the key of an account is stored and protected",
        details: [
            "Queries the key store and its device, signs random data with the key, and verifies the signature with "
                + "the public key. A device's description of itself is only a claim: it proves nothing to anyone "
                + "else.",
            "With --challenge a TPM also states that it holds the key, and signs that statement with its attestation "
                + "key. That is proof for a verifier that knows by other means that the attestation key belongs to a "
                + "TPM; see the article on keys in a TPM.",
        ],
        options: AccountSelection.options + AccountKey.openingOptions + [challenge, .json],
        examples: [
            .init("Can my key be copied?", "keybound keys attest"),
            .init(
                "Create a TPM statement for a verifier",
                "keybound keys attest --challenge dGhlIG9uZSB0aGF0IHRoZXkgc2VudA --json"
            ),
        ]
    )

    private static let challenge = Option.value(
        "--challenge",
        "BASE64URL",
        "the verifier's challenge, which the TPM's statement will contain: 1 to 32 bytes"
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
        try AccountKey.require(of: record)
        let accountKey = try AccountKey(opening: record, in: directory, arguments)
        let challenge = try challenge(arguments)
        var facts =
            try await accountKey.facts() + [try await signingFact(accountKey.load())] + [
                try await bindingFact(record, directory, accountKey.load())
            ]
        if let challenge { facts += try await accountKey.attestation(challenge: challenge).facts }
        if arguments.has(.json) {
            var object: JSONObject = [:]
            for fact in facts { object[fact.name] = .string(fact.value) }
            console.printJSON(.object(object))
        } else {
            console.print(HelpText.table(facts.map { ($0.name, SafeText.of($0.value)) }))
        }
        let path = directory.keyDirectory(of: record.account)
        if let better = await KeyDevices.better(than: record.keyPlace, in: path) {
            console.note("a new key could be stored \(better.description): keybound logout, then sign in again")
        }
    }

    /// The challenge; `nil` if none was given.
    private static func challenge(_ arguments: ParsedArguments) throws -> [UInt8]? {
        guard let text = arguments.value(challenge) else { return nil }
        guard let octets = try? Base64URL.decode(text),
            (1...TPMKeyAttestation.maximumChallengeCount).contains(octets.count)
        else {
            throw CommandFailure.usage(
                "\(challenge.name) is not base64url of 1 to \(TPMKeyAttestation.maximumChallengeCount) bytes"
            )
        }
        return octets
    }

    /// Tests that the private key is usable and matches the public key.
    private static func signingFact(_ key: any SigningKey) async throws -> KeyFact {
        let message = SystemEntropy().bytes(32)
        let signature = try await key.sign(message)
        guard key.publicKey.isValidSignature(signature, for: message, algorithm: key.algorithm) else {
            throw CommandFailure(.failure, "the key signs, but its signature is not valid")
        }
        return KeyFact("signs", "yes: tested with random data just now")
    }

    /// Whether the tokens are bound to the key.
    private static func bindingFact(
        _ record: AccountRecord,
        _ directory: AccountDirectory,
        _ key: any SigningKey
    ) async throws -> KeyFact {
        let bound = try await directory.tokenStore.tokens(of: record.account)?.keyThumbprint
        return KeyFact(
            "tokens",
            bound == nil ? "none" : bound == key.publicKey.thumbprint ? "bound to it" : "bound to another key"
        )
    }
}
#endif
