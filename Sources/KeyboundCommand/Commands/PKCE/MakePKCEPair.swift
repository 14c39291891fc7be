// SPDX-License-Identifier: Apache-2.0

import PKCE
import StrictJSON

/// `keybound pkce`.
enum MakePKCEPair: Command {
    static let syntax = CommandSyntax(
        "pkce",
        "create a code verifier and its challenge (RFC 7636, S256)",
        details: [
            "The challenge goes into the authorization request, with code_challenge_method=S256. The verifier is the "
                + "secret of this one sign-in: it goes only into the token request."
        ],
        options: [.json],
        examples: [
            .init("Create a pair", "keybound pkce"),
            .init("Use it in a script", "keybound pkce --json | jq -r .code_challenge"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) {
        let (verifier, challenge) = PKCEService().create()
        if arguments.has(.json) {
            console.printJSON([
                "code_verifier": .string(verifier.text), "code_challenge": .string(challenge.value),
                "code_challenge_method": .string(challenge.method.rawValue),
            ])
        } else {
            console.print("code_verifier          \(verifier.text)")
            console.print("code_challenge         \(challenge.value)")
            console.print("code_challenge_method  \(challenge.method)")
        }
    }
}
