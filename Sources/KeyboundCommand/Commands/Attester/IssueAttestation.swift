// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthSystem
import StrictJSON

/// `keybound attester issue`.
enum IssueAttestation: Command {
    private static let client = Option.value("--client", "CLIENT_ID", "the client whose key is attested")
    private static let jwk = Option.value("--jwk", "FILE", "the public key to attest, as a JWK; - is standard input")

    static let syntax = CommandSyntax(
        "attester issue",
        "attest one key, without asking for evidence",
        details: [
            "For tests, and for a factory that knows where the key is. Prints the attestation, which says that nothing "
                + "was proven about the key."
        ],
        options: [client, jwk, AttesterOptions.lifetime] + AttesterKey.options,
        examples: [
            .init("Attest the key of a test device", "keybound attester issue --client notes-app --jwk device.jwk")
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let (clientID, path) = (try arguments.required(client), try arguments.required(jwk))
        guard let object = try? JSONValue(parsing: InputFile.read(path, limit: 65_536)).objectValue,
            let key = try? JWK(parsing: object)
        else {
            throw CommandFailure.usage(
                "--jwk: \(SafeText.of(path)) is no public key as a JWK",
                hint: "give only the public key, such as keybound proof make prints in the header of a proof"
            )
        }
        let issuer = try await AttesterOptions.issuer(arguments)
        let text = try await issuer.attestation(
            of: key,
            for: clientID,
            .unproven,
            at: SystemWallClock().now()
        )
        console.print(text)
    }
}
#endif
