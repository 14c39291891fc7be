// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import JOSE
import OAuthSystem
import ServerStorage
import SigningKeys
import StrictJSON

/// A signing key as the commands show it: never the private key.
struct KeyEntry: Sendable {
    let entry: SigningKeySchedule.Entry

    /// Every key in the database, by algorithm.
    static func all(_ settings: ServerSettings) async throws -> [KeyEntry] {
        let policy = try SigningKeyPolicy(settings)
        let stored = try await OperatorCommand.withStorage(settings, mustExist: true) { try await $0.signingKeys() }
        let now = SystemWallClock().now()
        return algorithms(of: stored).flatMap { algorithm in
            SigningKeySchedule(stored, of: algorithm, policy, at: now).entries.map(KeyEntry.init)
        }
    }

    static func algorithms(of keys: [StoredSigningKey]) -> [SignatureAlgorithm] {
        Set(keys.map(\.algorithm)).sorted { $0.rawValue < $1.rawValue }
    }

    /// Prints keys, one a line.
    static func show(_ entries: [KeyEntry], _ arguments: ParsedArguments, _ console: Console) {
        if arguments.has(.json) {
            console.printJSON(.array(entries.map { .object($0.json) }))
        } else {
            for entry in entries { console.print(entry.line) }
        }
    }

    var json: JSONObject {
        var object: JSONObject = [
            "kid": .string(entry.key.keyID), "alg": .string(entry.key.algorithm.rawValue),
            "state": .string(entry.state.rawValue), "since": .number(JSONNumber(entry.since.secondsSince1970)),
        ]
        object["until"] = entry.until.map { .number(JSONNumber($0.secondsSince1970)) }
        object["device_label"] = label.map { .string($0) }
        return object
    }

    /// The label of a key in a device; `nil` for a key in the database.
    var label: String? { SigningKeyReference(entry.key.wrappedKey)?.alias.text }

    private var line: String {
        let state = entry.state.rawValue
        let space = String(repeating: " ", count: max(0, "retired".count - state.count))
        let times = "\(TimeText.text(of: entry.since))  \(entry.until.map(TimeText.text) ?? "-")"
        let place = label.map { "  in the token as \($0)" } ?? ""
        return "\(state)\(space)  \(entry.key.algorithm)  \(times)  \(entry.key.keyID)\(place)"
    }
}
#endif
