// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// The configuration file: a JSON object.
///
/// Unknown keys are errors. A path that does not begin with `/` is in the folder of the file, so that the server, which
/// may be started anywhere, and every command of an operator use the same files.
struct ConfigurationFile {
    /// The members of described entries that are paths.
    private static let pathMembers: [Setting: String] = [.attesters: "jwks"]

    private let path: String
    private let document: JSONObject
    private let folder: ConfigurationFolder

    /// Reads a file, unless its content is given.
    init(_ path: String, content: [UInt8]? = nil) throws {
        self.path = path
        folder = ConfigurationFolder(of: path)
        let bytes = try content ?? ServerSettings.content(at: path, limit: 1 << 20)
        document = try JSONObject.parsing(bytes, of: path, hint: "keybound help configuration shows an example")
    }

    func settings() throws -> [Setting: ServerSettings.Given] {
        var given: [Setting: ServerSettings.Given] = [:]
        try read(document, prefix: "", into: &given)
        return given
    }

    private func read(
        _ object: JSONObject,
        prefix: String,
        into given: inout [Setting: ServerSettings.Given]
    ) throws {
        for member in object.members {
            let key = prefix + member.name
            if let setting = Setting.all.first(where: { $0.key == key }) {
                let values = try values(of: member.value, setting)
                given[setting] = ServerSettings.Given(values: values, place: "'\(key)' in \(path)")
            } else if let nested = member.value.objectValue,
                Setting.all.contains(where: { $0.key.hasPrefix(key + ".") })
            {
                try read(nested, prefix: key + ".", into: &given)
            } else {
                throw unknown(key)
            }
        }
    }

    private func unknown(_ key: String) -> CommandFailure {
        let guess = NearestWord.to(key, among: Setting.all.map(\.key)).map { "did you mean '\($0)'?" }
        return CommandFailure.usage(
            "'\(key)' in \(path) is not a setting",
            hint: guess ?? "keybound help configuration lists them"
        )
    }

    private func values(of value: JSONValue, _ setting: Setting) throws -> [String] {
        switch (setting.kind, value) {
        case (.path(let words), .string(let text)): return [words.contains(text) ? text : folder.path(text)]
        case (.text, .string(let text)), (.duration, .string(let text)): return [text]
        case (.number, .number(let number)), (.duration, .number(let number)): return [number.literal]
        // A limit that can be turned off.
        case (.number, .string("off")): return ["off"]
        case (.flag, .bool(let flag)): return [flag ? "true" : "false"]
        case (.scopes, .object(let scopes)): return try scopes.members.map(scope)
        case (.descriptions, .object(let entries)) where entries.members.allSatisfy({ $0.value.objectValue != nil }):
            return entries.members.map { member in
                let value = described(member.value, setting)
                return member.name + "=" + String(decoding: value.encoded(), as: UTF8.self)
            }
        case (.lists, .object(let entries)) where entries.members.allSatisfy({ $0.value.arrayValue != nil }):
            return entries.members.map { $0.name + "=" + String(decoding: $0.value.encoded(), as: UTF8.self) }
        case (.list, .array(let array)) where array.allSatisfy({ $0.stringValue != nil }):
            return array.compactMap(\.stringValue)
        default:
            throw CommandFailure.usage("'\(setting.key)' in \(path) must be \(setting.kind.demand)")
        }
    }

    /// What describes an entry, with the path in it as one of the folder of the file.
    private func described(_ value: JSONValue, _ setting: Setting) -> JSONValue {
        guard let name = Self.pathMembers[setting], var object = value.objectValue,
            let text = object[name]?.stringValue
        else { return value }
        object[name] = .string(folder.path(text))
        return .object(object)
    }

    private func scope(_ member: JSONObject.Member) throws -> String {
        switch member.value {
        case .null: return member.name
        case .string(let text): return "\(member.name)=\(text)"
        default:
            throw CommandFailure.usage(
                "'scopes' in \(path): the scope '\(member.name)' needs a string that describes it, or null"
            )
        }
    }
}
