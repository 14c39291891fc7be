// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import ServerStorage
import StrictJSON

/// `keybound keys server show`.
enum ShowServerKey: Command {
    static let syntax = CommandSyntax(
        "keys server show",
        "show one signing key, with its public key",
        operands: [
            .required("KID", "the identifier, as keys server list prints it; after -- when it begins with a hyphen")
        ],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which key has the kid of a token?", "keybound keys server show w0Nc...")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let keyID = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        guard let found = try await KeyEntry.all(settings).first(where: { $0.entry.key.keyID == keyID }) else {
            throw CommandFailure(
                .failure,
                "there is no key with this identifier",
                hint: "keybound keys server list shows them"
            )
        }
        let publicKey = JSONValue.object(found.entry.key.publicKey.json)
        if arguments.has(.json) {
            var object = found.json
            object["jwk"] = publicKey
            console.printJSON(.object(object))
            return
        }
        console.print("kid        \(found.entry.key.keyID)")
        console.print("algorithm  \(found.entry.key.algorithm)")
        console.print("published  \(TimeText.text(of: found.entry.key.publishedAt))")
        console.print("state      \(found.entry.state)")
        console.print("since      \(TimeText.text(of: found.entry.since))")
        if let until = found.entry.until { console.print("until      \(TimeText.text(of: until))") }
        console.print("kept       \(found.label.map { "in the PKCS #11 token, as \($0)" } ?? "in the database")")
        console.printJSON(publicKey)
    }
}
#endif
