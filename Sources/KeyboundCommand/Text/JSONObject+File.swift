// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension JSONObject {
    /// The object that a file holds which a person wrote.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - file: Its name, for messages.
    ///   - hint: Where a person finds what belongs into it.
    /// - Returns: The object.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage``, with the place of what is not JSON.
    static func parsing(_ bytes: [UInt8], of file: String, hint: String) throws -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            let reason = JSONPosition.reason(error, in: bytes)
            throw CommandFailure.usage("\(SafeText.of(file)) is not JSON: \(reason)", hint: hint)
        }
        guard let object = value.objectValue else {
            throw CommandFailure.usage("\(SafeText.of(file)) is not a JSON object", hint: hint)
        }
        return object
    }
}
