// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// A name with a JSON object that describes it, in a setting that has several.
struct DescribedEntry {
    let name: String
    private let object: JSONObject
    private let place: String

    /// The entries of a setting; an unknown member is an error.
    static func all(_ settings: ServerSettings, _ setting: Setting, known: [String]) throws -> [DescribedEntry] {
        let place = settings.place(of: setting)
        return try settings.values(setting).map { text in
            guard let separator = text.firstRange(ofText: "={"),
                let object = try? JSONValue(parsing: Array(text[separator.lowerBound...].dropFirst().utf8)).objectValue
            else {
                throw CommandFailure.usage(
                    "\(place) has an entry that is not a name and a JSON object",
                    hint: "write \(setting.option.placeholder ?? "NAME={...}"); {} for the defaults"
                )
            }
            let entry = DescribedEntry(
                name: String(text[..<separator.lowerBound]),
                object: object,
                place: place
            )
            if let unknown = object.members.first(where: { !known.contains($0.name) }) {
                throw entry.failure("has the unknown member '\(SafeText.of(unknown.name))'", known: known)
            }
            return entry
        }
    }

    /// A member that is a string.
    func text(_ name: String) throws -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw failure("has '\(name)', which must be a string") }
        return text
    }

    /// A member that is a list of strings.
    func texts(_ name: String) throws -> [String]? {
        guard let value = object[name] else { return nil }
        return try texts(value, name)
    }

    func members(_ name: String) throws -> [JSONObject.Member] {
        guard let value = object[name] else { return [] }
        guard let members = value.objectValue?.members else { throw failure("has '\(name)', which must be an object") }
        return members
    }

    func texts(_ value: JSONValue, _ name: String) throws -> [String] {
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count else {
            throw failure("has '\(name)', which must be an array of strings")
        }
        return texts
    }

    /// Does work for the entry; the message of an error begins with the place of the entry.
    func naming<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            throw CommandFailure(describing: error).about("\(place): \(SafeText.of(name))")
        }
    }

    func failure(_ what: String, known: [String] = []) -> CommandFailure {
        CommandFailure.usage(
            "\(place): \(SafeText.of(name)) \(what)",
            hint: known.isEmpty
                ? "keybound help configuration shows an example" : "known are \(known.joined(separator: ", "))"
        )
    }
}
