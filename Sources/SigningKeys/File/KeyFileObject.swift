// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import StrictJSON

/// The JSON object of a key file, with exactly the required members.
struct KeyFileObject {
    static let maximumCount = 16_384

    private let object: JSONObject

    init(_ bytes: [UInt8]) throws(KeyStoreError) {
        let limits = JSONLimits(maximumSize: Self.maximumCount, maximumDepth: 2)
        guard let value = try? JSONValue(parsing: bytes, limits: limits), let object = value.objectValue else {
            throw Self.malformed("it is not a JSON object")
        }
        self.object = object
    }

    /// Rejects unexpected members: an unknown one may matter.
    func requireMembers(_ names: [String]) throws(KeyStoreError) {
        guard Set(object.members.map(\.name)) == Set(names) else {
            throw Self.malformed("it does not have the members of its format")
        }
    }

    func string(_ name: String) throws(KeyStoreError) -> String {
        guard let text = object[name]?.stringValue else { throw Self.malformed("\(name) is not a string") }
        return text
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(KeyStoreError) -> Int {
        guard let number = object[name]?.integerValue, let value = Int(exactly: number), range.contains(value) else {
            throw Self.malformed("\(name) is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func bytes(_ name: String, counts: ClosedRange<Int>) throws(KeyStoreError) -> [UInt8] {
        guard let bytes = try? Base64URL.decode(string(name)), counts.contains(bytes.count) else {
            throw Self.malformed("\(name) is not base64url of the right length")
        }
        return bytes
    }

    /// Rejects another format, a newer version, and a file that was renamed to another alias.
    func requireFormat(_ format: String, version: Int64, alias: KeyAlias) throws(KeyStoreError) {
        guard object["format"]?.stringValue == format else { throw Self.malformed("its format is not \(format)") }
        guard object["version"]?.integerValue == version else {
            throw Self.malformed("its version is not \(version): it may come from a newer release")
        }
        guard try string("alias") == alias.text else { throw Self.malformed("it belongs to another alias") }
    }

    /// What is wrong with the key, and no advice: what an app may do, delete the key and let the user sign in again, would
    /// take all tokens of a server away.
    static func malformed(_ what: String) -> KeyStoreError {
        KeyStoreError(.malformedKeyFile, "the stored key cannot be used, and was left as it is: \(what)")
    }
}
#endif
