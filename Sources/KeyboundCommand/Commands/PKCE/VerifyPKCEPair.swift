// SPDX-License-Identifier: Apache-2.0

import PKCE
import StrictJSON

/// `keybound pkce verify`.
enum VerifyPKCEPair: Command {
    static let syntax = CommandSyntax(
        "pkce verify",
        "check that a code verifier matches a challenge",
        operands: [
            .required("CHALLENGE", "the code_challenge, 43 characters of base64url"),
            .optional("FILE", "the file with the code_verifier (default: standard input)"),
        ],
        options: [.json],
        examples: [
            .init(
                "The example of RFC 7636, appendix B",
                "printf dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk |\n"
                    + "  keybound pkce verify E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) throws {
        let challenge = try challenge(arguments.requiredOperand(0))
        let verifier = try InputFile.line(arguments.operand(1) ?? "-")
        do {
            try PKCEService().verify(verifier, against: challenge)
        } catch {
            if arguments.has(.json) { console.printJSON(["valid": false, "reason": .string(error.reason)]) }
            throw error
        }
        if arguments.has(.json) {
            console.printJSON(["valid": true])
        } else {
            console.print(console.style.good("valid") + ": the verifier matches the challenge (S256)")
        }
    }

    private static func challenge(_ text: String) throws -> CodeChallenge {
        do {
            return try CodeChallenge(parsing: text, method: "S256")
        } catch {
            throw CommandFailure.usage(
                error.reason,
                hint: "the challenge is the operand; the verifier comes from standard input or a file"
            )
        }
    }
}
