// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import SQLiteStorage

/// `keybound keys server rotate`.
enum RotateServerKeys: Command {
    private static let now = Option.flag("--now", "sign with the next key at once, published before or not")
    private static let revoke = Option.flag(
        "--revoke",
        "with --now: revoke all keys there are, so that every token that they signed is refused"
    )
    private static let algorithm = Option.value("--algorithm", "ALG", "only keys of this algorithm, such as ES256")
    private static let settings = Setting.storage + Setting.keyProtection

    static let syntax = CommandSyntax(
        "keys server rotate",
        "replace the keys that sign tokens",
        details: [
            "Keys replace each other by themselves; this does it earlier. The next key signs as soon as it was published "
                + "for long enough, and tokens of the one before stay valid. A running server notices within seconds.",
            "When keys may have leaked: --now --revoke. Waiting and retired keys are revoked too, since they lie in the "
                + "same place. APIs refuse what they signed when they look at the set of keys again, after five minutes "
                + "at most with ours; everyone has to refresh or sign in.",
            "Give it the configuration and the credential of the server: what it makes must open there.",
        ],
        options: [ServerSettings.configuration] + settings.map(\.option) + [now, revoke, algorithm, .json],
        examples: [
            .init("Change keys ahead of time", "keybound keys server rotate --config /etc/keybound.json"),
            .init("A backup was stolen", "keybound keys server rotate --config /etc/keybound.json --now --revoke"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        guard arguments.has(now) || !arguments.has(revoke) else {
            throw CommandFailure.usage("--revoke takes effect at once: say --now too")
        }
        let settings = try ServerSettings(arguments, optionsFor: settings)
        try await OperatorCommand.withStorage(settings, mustExist: true) { storage in
            let present = KeyEntry.algorithms(of: try await storage.signingKeys())
            let chosen = try chosen(arguments, of: present)
            let keys = try await ServerKeys(settings, algorithms: present, storage)
            for algorithm in chosen { try await rotate(algorithm, keys, arguments, settings) }
        }
        KeyEntry.show(try await KeyEntry.all(settings), arguments, console)
    }

    private static func rotate(
        _ algorithm: SignatureAlgorithm,
        _ keys: ServerKeys,
        _ arguments: ParsedArguments,
        _ settings: ServerSettings
    ) async throws {
        try await keys.explainingFailures { ring in
            if arguments.has(revoke) {
                try await ring.revokeAll(algorithm)
                let directory = try ServerPlaces(settings).keyDirectory
                if let protection = keys.place.stored {
                    try await ServerKeys.deleteKeyFile(of: algorithm, in: directory, protection)
                }
            } else if arguments.has(now) {
                try await ring.rotateNow(algorithm)
            } else {
                try await ring.rotateSoon(algorithm)
            }
        }
    }

    private static func chosen(
        _ arguments: ParsedArguments,
        of present: [SignatureAlgorithm]
    ) throws -> [SignatureAlgorithm] {
        guard !present.isEmpty else {
            throw CommandFailure(
                .failure,
                "there are no keys yet",
                hint: "the first start of keybound serve makes them"
            )
        }
        guard let name = arguments.value(algorithm) else { return present }
        guard let algorithm = present.first(where: { $0.rawValue == name }) else {
            throw CommandFailure.usage(
                "there is no key of the algorithm \(SafeText.of(name))",
                hint: "there are keys of \(present.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return [algorithm]
    }
}
#endif
