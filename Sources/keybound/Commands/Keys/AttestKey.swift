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
        "say what is known about where the key of an account lives",
        details: [
            "Asks the store of the key, and the device behind it, and has the key sign a random text, whose signature is checked "
                + "with the public half. What a device says of itself is its word: nothing here proves it to anybody else.",
            "With --challenge a TPM also states that it holds the key, and signs that with its attestation key. That is proof for "
                + "whoever knows from elsewhere that the attestation key is one of a TPM, as the article on keys in a TPM says.",
        ],
        options: AccountSelection.options + AccountKey.openingOptions + [challenge, .json],
        examples: [
            .init("Can my key be copied?", "keybound keys attest"),
            .init(
                "What do I send to somebody who wants to know?",
                "keybound keys attest --challenge dGhlIG9uZSB0aGF0IHRoZXkgc2VudA --json"
            ),
        ]
    )

    private static let challenge = Option.value(
        "--challenge",
        "BASE64URL",
        "what whoever will check the TPM's statement wants to find in it: 1 to 32 octets"
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, in: directory)
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
            console.note("a new key could live \(better.description): keybound logout, then sign in again")
        }
    }

    /// The octets that were given; `nil` when none were.
    private static func challenge(_ arguments: ParsedArguments) throws -> [UInt8]? {
        guard let text = arguments.value(challenge) else { return nil }
        guard let octets = try? Base64URL.decode(text),
            (1...TPMKeyAttestation.maximumChallengeCount).contains(octets.count)
        else {
            throw CommandFailure.usage(
                "\(challenge.name) is not base64url of 1 to \(TPMKeyAttestation.maximumChallengeCount) octets"
            )
        }
        return octets
    }

    /// That the private half is there, and belongs to the public one.
    private static func signingFact(_ key: any SigningKey) async throws -> KeyFact {
        let message = SystemEntropy().bytes(32)
        let signature = try await key.sign(message)
        guard key.publicKey.isValidSignature(signature, for: message, algorithm: key.algorithm) else {
            throw CommandFailure(.failure, "the key signs, and its signature is not valid")
        }
        return KeyFact("signs", "yes: a random text, just now")
    }

    /// That it is the key of the tokens.
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
