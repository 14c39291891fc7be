// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import ServerStorage

/// `keybound keys server rotate`.
enum RotateServerKeys: Command {
    private static let now = Option.flag(
        "--now",
        "sign with the next key at once, even if it was not published "
            + "before"
    )
    private static let revoke = Option.flag(
        "--revoke",
        "with --now: revoke all existing keys, so that every token they signed is rejected"
    )
    private static let algorithm = Option.value("--algorithm", "ALG", "only keys of this algorithm, such as ES256")
    private static let settings = Setting.storage + Setting.keyProtection

    static let syntax = CommandSyntax(
        "keys server rotate",
        "replace the keys that sign tokens",
        details: [
            "Keys rotate automatically; this rotates them earlier. The next key signs as soon as it has been "
                + "published for long enough, and tokens signed by the previous key stay valid. A running server "
                + "notices within seconds.",
            "If keys may have leaked, use --now --revoke. The next and the retired keys are revoked too, because they "
                + "are stored in the same place. APIs reject tokens of revoked keys once they fetch the key set "
                + "again, with our libraries after at most five minutes; all users have to refresh or sign in again.",
            "Give it the configuration and the credential of the server, which must be able to open the new keys.",
        ],
        options: [ServerSettings.configuration] + settings.map(\.option) + [
            now, revoke, algorithm, Confirmation.yes, .json,
        ],
        examples: [
            .init("Rotate the keys early", "keybound keys server rotate --config /etc/keybound.json"),
            .init("A backup was stolen", "keybound keys server rotate --config /etc/keybound.json --now --revoke"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        guard arguments.has(now) || !arguments.has(revoke) else {
            throw CommandFailure.usage("--revoke takes effect at once: give --now too")
        }
        let settings = try ServerSettings(arguments, optionsFor: settings)
        if arguments.has(revoke) {
            try Confirmation.obtain("Revoke all keys, so that every user has to refresh or sign in again?", arguments)
        }
        try await OperatorCommand.trailing(settings, console) { storage, trail in
            let present = KeyEntry.algorithms(of: try await storage.signingKeys())
            let chosen = try chosen(arguments, of: present)
            // Leaked keys are revoked even if the clock is wrong.
            if !arguments.has(revoke) { try await ClockComparison(of: storage).requireAgreement() }
            let keys = try await ServerKeys(settings, algorithms: present, storage, trail)
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
                let directory = try ServerPaths(settings).keyDirectory
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
                hint: "the first start of keybound serve creates them"
            )
        }
        guard let name = arguments.value(algorithm) else { return present }
        guard let algorithm = present.first(where: { $0.rawValue == name }) else {
            throw CommandFailure(
                .failure,
                "there is no key of the algorithm \(SafeText.of(name))",
                hint: "there are keys of \(present.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return [algorithm]
    }
}
#endif
