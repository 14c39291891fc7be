// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import ServerStorage
import StrictJSON

/// `keybound keys server reseal`.
enum ResealServerKeys: Command {
    private static let newCredential = Option.value(
        "--new-key-credential-file",
        "FILE",
        "the new credential: a file of 32 random bytes"
    )
    private static let settings = Setting.storage + Setting.keyProtection

    static let syntax = CommandSyntax(
        "keys server reseal",
        "encrypt the signing keys with a new credential",
        details: [
            "The keys do not change, and all tokens stay valid; keys in a PKCS #11 token are not touched. Give the "
                + "command the configuration, the current credential of the server, and the new one. It runs in one "
                + "transaction; if it was interrupted, run it again.",
            "Restart the servers with the new credential right afterwards: a running server keeps using the keys it "
                + "has open, but would encrypt the next one with the old credential. Backups still open with the old "
                + "credential: if it may have leaked, also create new keys with rotate --now --revoke.",
        ],
        options: [ServerSettings.configuration] + settings.map(\.option) + [newCredential, .json],
        examples: [
            .init(
                "Change the credential",
                "keybound keys server reseal --config /etc/keybound.json --new-key-credential-file /etc/keybound-new-credential"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        guard let path = arguments.value(newCredential) else {
            throw CommandFailure.usage(
                "--new-key-credential-file is missing",
                hint: "(umask 077; head -c 32 /dev/urandom >FILE) makes one"
            )
        }
        let protection = try KeyProtectionSettings(credentialFile: path)
        let settings = try ServerSettings(arguments, optionsFor: settings)
        let count = try await OperatorCommand.trailing(settings, console) { storage, trail in
            let present = KeyEntry.algorithms(of: try await storage.signingKeys())
            guard !present.isEmpty else {
                throw CommandFailure(
                    .failure,
                    "there are no keys yet",
                    hint: "the first start of keybound serve creates them"
                )
            }
            let keys = try await ServerKeys(settings, algorithms: present, storage, trail)
            return try await keys.explainingFailures { try await $0.rewrap(with: protection.sealer) }
        }
        if arguments.has(.json) {
            console.printJSON(.object(["keys": .number(JSONNumber(Int64(count)))]))
        } else {
            console.print("\(count) \(count == 1 ? "key is" : "keys are") \(protection.description)")
        }
    }
}
#endif
