// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import StrictJSON

/// An object of a configuration file; unknown members are errors.
struct SettingsObject {
    private let object: JSONObject
    /// What the object is, for messages, such as `'apis[0].rules[2]' in /etc/keybound/gateway.json`.
    let place: String
    private let path: String
    private let file: String

    /// Reads a file.
    init(file: String, known: [String]) throws {
        let bytes = try InputFile.read(file)
        let object = try JSONObject.parsing(bytes, of: file, hint: "docs/gateway.md shows an example")
        try self.init(object, path: "", file: file, known: known)
    }

    private init(_ object: JSONObject, path: String, file: String, known: [String]) throws {
        self.object = object
        self.path = path
        self.file = file
        place = path.isEmpty ? SafeText.of(file) : "'\(path)' in \(SafeText.of(file))"
        if let unknown = object.members.first(where: { !known.contains($0.name) }) {
            let guess = NearestWord.to(unknown.name, among: known).map { "did you mean '\($0)'?" }
            throw CommandFailure.usage(
                "\(self.name(of: unknown.name)) is not a setting of the gateway",
                hint: guess ?? "known are \(known.joined(separator: ", "))"
            )
        }
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    func text(_ name: String) throws -> String? {
        try value(name, "a string", \.stringValue)
    }

    func requiredText(_ name: String) throws -> String {
        guard let text = try text(name) else { throw CommandFailure.usage("\(self.name(of: name)) is missing") }
        return text
    }

    /// The path of a file; one that does not begin with `/` is in the folder of the configuration file.
    func filePath(_ name: String) throws -> String? {
        try text(name).map(ConfigurationFolder(of: file).path)
    }

    func requiredFilePath(_ name: String) throws -> String {
        ConfigurationFolder(of: file).path(try requiredText(name))
    }

    func flag(_ name: String) throws -> Bool? {
        try value(name, "true or false", \.boolValue)
    }

    func texts(_ name: String) throws -> [String]? {
        try value(name, "an array of strings") { value in
            guard let array = value.arrayValue else { return nil }
            let texts = array.compactMap(\.stringValue)
            return texts.count == array.count ? texts : nil
        }
    }

    /// A number from zero on.
    func count(_ name: String) throws -> Int? {
        try value(name, "a number from 0 on") {
            $0.integerValue.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    /// A text such as `5m`, or a number of seconds; at most ten years if nothing else is said.
    func duration(_ name: String, atMost maximum: Duration = DurationText.longest) throws -> Duration? {
        let given = try value(name, "a string such as \"5m\", or seconds") { value -> Duration? in
            if let text = value.stringValue { return DurationText.parse(text) }
            return value.integerValue.flatMap { $0 >= 0 ? Duration.seconds($0) : nil }
        }
        guard let duration = given else { return nil }
        guard duration <= maximum else { throw failure(name, "at most \(DurationText.text(of: maximum))") }
        return duration
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, _ standard: Word) throws -> Word {
        guard let text = try text(name) else { return standard }
        guard let word = Word(rawValue: text) else {
            throw failure(name, "one of " + Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    func scope(_ name: String) throws -> Scope {
        guard let text = try text(name) else { return .empty }
        guard let scope = try? Scope(parsing: text) else { throw failure(name, "a scope: words separated by spaces") }
        return scope
    }

    /// Members whose values are strings.
    func pairs(_ name: String) throws -> [String: String] {
        try value(name, "an object of strings") { value in
            guard let members = value.objectValue?.members else { return nil }
            var pairs: [String: String] = [:]
            for member in members {
                guard let text = member.value.stringValue else { return nil }
                pairs[member.name] = text
            }
            return pairs
        } ?? [:]
    }

    /// Members whose values are arrays of strings, in their order.
    func lists(_ name: String) throws -> [(name: String, texts: [String])]? {
        try value(name, "an object of arrays of strings, such as {\"groups\": [\"admin\"]}") { value in
            guard let members = value.objectValue?.members else { return nil }
            var lists: [(name: String, texts: [String])] = []
            for member in members {
                guard let array = member.value.arrayValue else { return nil }
                let texts = array.compactMap(\.stringValue)
                guard texts.count == array.count else { return nil }
                lists.append((name: member.name, texts: texts))
            }
            return lists
        }
    }

    func object(_ name: String, known: [String]) throws -> SettingsObject? {
        guard let object = try value(name, "an object", \.objectValue) else { return nil }
        return try SettingsObject(object, path: key(name), file: file, known: known)
    }

    /// An element of an array that may contain both.
    enum Element {
        case text(String)
        case object(SettingsObject)
    }

    /// The elements of an array of strings and objects.
    func elements(_ name: String, _ what: String, known: [String]) throws -> [Element]? {
        guard let values = try value(name, what, \.arrayValue) else { return nil }
        return try values.enumerated().map { index, value -> Element in
            if let text = value.stringValue { return .text(text) }
            guard let object = value.objectValue else { throw failure(name, what) }
            return .object(try SettingsObject(object, path: "\(key(name))[\(index)]", file: file, known: known))
        }
    }

    func objects(_ name: String, known: [String]) throws -> [SettingsObject] {
        let values = try value(name, "an array of objects") { value in
            let objects = value.arrayValue?.compactMap(\.objectValue)
            return objects?.count == value.arrayValue?.count ? objects : nil
        }
        return try (values ?? []).enumerated().map { index, object in
            try SettingsObject(object, path: "\(key(name))[\(index)]", file: file, known: known)
        }
    }

    func failure(_ name: String, _ what: String) -> CommandFailure {
        CommandFailure.usage("\(self.name(of: name)) must be \(what)")
    }

    private func value<Value>(_ name: String, _ what: String, _ read: (JSONValue) -> Value?) throws -> Value? {
        guard let value = object[name] else { return nil }
        guard let read = read(value) else { throw failure(name, what) }
        return read
    }

    private func key(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    private func name(of member: String) -> String {
        "'\(SafeText.of(key(member)))' in \(SafeText.of(file))"
    }
}
