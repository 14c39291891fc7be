// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import StrictJSON

/// The options that say what tokens say about a user.
enum UserClaimOptions {
    private static let claim = Option.list("--claim", "NAME=VALUE", "set a claim to a text")
    private static let claimJSON = Option.list(
        "--claim-json",
        "NAME=JSON",
        #"set a claim to a JSON value, such as groups=["admin"]"#
    )
    private static let noClaim = Option.list("--no-claim", "NAME", "remove a claim")

    static let all = [claim, claimJSON, noClaim]

    /// The claims to set and the names of those to remove; at least one of either.
    static func changes(_ arguments: ParsedArguments) throws -> (values: JSONObject, removed: [String]) {
        let removed = arguments.values(noClaim)
        var values = JSONObject()
        for text in arguments.values(claim) {
            let (name, value) = try parts(of: text, claim)
            try set(name, to: .string(value), in: &values)
        }
        for text in arguments.values(claimJSON) {
            let (name, value) = try parts(of: text, claimJSON)
            try set(name, to: try json(value, of: name), in: &values)
        }
        if let twice = removed.first(where: { values[$0] != nil }) { throw isNamedTwice(twice) }
        guard !values.members.isEmpty || !removed.isEmpty else {
            throw CommandFailure.usage("there is nothing to change", hint: "give --claim, --claim-json or --no-claim")
        }
        return (values, removed)
    }

    /// Warns about claims that no scope of the configured server releases; without an issuer nothing is known of it.
    static func warn(of values: JSONObject, _ settings: ServerSettings, _ console: Console) {
        guard settings.isGiven(.issuer), let scopes = try? ScopeClaims.all(settings) else { return }
        let released = scopes.flatMap(\.names)
        for member in values.members where !released.contains(member.name) {
            console.warn("no token has the claim \(member.name) until 'claims' of the configuration names it")
        }
    }

    private static func parts(of text: String, _ option: Option) throws -> (name: String, value: String) {
        guard let separator = text.firstIndex(of: "=") else {
            throw CommandFailure.usage(
                "\(option.name) is not a name, an equals sign and a value",
                hint: "write \(option.name) \(option.placeholder ?? "NAME=VALUE")"
            )
        }
        return (String(text[..<separator]), String(text[separator...].dropFirst()))
    }

    private static func json(_ text: String, of name: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw CommandFailure.usage(
                "the value of \(SafeText.of(name)) is not JSON: \(JSONPosition.reason(error, in: bytes))",
                hint: "--claim NAME=VALUE takes any text"
            )
        }
    }

    private static func set(_ name: String, to value: JSONValue, in values: inout JSONObject) throws {
        guard values[name] == nil else { throw isNamedTwice(name) }
        values[name] = value
    }

    private static func isNamedTwice(_ name: String) -> CommandFailure {
        CommandFailure.usage("the claim \(SafeText.of(name)) is named twice", hint: "name it once")
    }
}
#endif
