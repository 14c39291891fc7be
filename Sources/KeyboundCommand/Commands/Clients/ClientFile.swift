// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage
import StrictJSON

/// The file of `keybound client apply`: a JSON array of clients.
enum ClientFile {
    private static let limit = 4 << 20

    /// Reads a file; every client in it, before anything is changed.
    ///
    /// - Parameters:
    ///   - path: The path; `-` is standard input.
    ///   - now: The time of registration of new clients.
    /// - Returns: The clients, in the order of the file.
    /// - Throws: ``CommandFailure``, which names the client that is wrong.
    static func read(_ path: String, at now: Timestamp) throws -> [ClientFileEntry] {
        let bytes = try InputFile.read(path, limit: limit)
        let shown = path == "-" ? "standard input" : SafeText.of(path)
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumSize: limit))
        } catch {
            throw CommandFailure.usage("\(shown) is not JSON: \(JSONPosition.reason(error, in: bytes))", hint: hint)
        }
        guard let array = value.arrayValue else {
            throw CommandFailure.usage("\(shown) is not a JSON array of clients", hint: hint)
        }
        var entries: [ClientFileEntry] = []
        var names: Set<String> = []
        for (index, value) in array.enumerated() {
            let entry = try entry(value, number: index + 1, at: now)
            guard names.insert(entry.client.clientID).inserted else {
                throw CommandFailure.usage("\(shown) has two clients \(SafeText.of(entry.client.clientID))")
            }
            entries.append(entry)
        }
        return entries
    }

    private static let hint = #"[ { "client_id": "billing", ... } ]: keybound client list --json prints such an array"#

    private static func entry(_ value: JSONValue, number: Int, at now: Timestamp) throws -> ClientFileEntry {
        guard let object = value.objectValue else {
            throw CommandFailure.usage("client \(number) of the file is not a JSON object", hint: hint)
        }
        do {
            return try ClientFileEntry(object, at: now)
        } catch {
            let name = object["client_id"]?.stringValue.map { " (\(SafeText.of($0)))" } ?? ""
            throw CommandFailure(describing: error).about("client \(number)\(name) of the file")
        }
    }
}
#endif
