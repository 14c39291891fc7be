// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import StrictJSON

/// `keybound attester jwks`.
enum PrintAttesterKeys: Command {
    static let syntax = CommandSyntax(
        "attester jwks",
        "print the public key of the attester, for authorization servers",
        details: ["Name the file as jwks of the attester in the configuration of keybound serve."],
        options: AttesterKey.options,
        examples: [.init("For the configuration of a server", "keybound attester jwks > attester.jwks")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let issuer = AttestationIssuer(key: try await AttesterKey.open(arguments), clients: [], lifetime: .zero)
        console.printJSON(.object(issuer.keySet.json))
    }
}
#endif
