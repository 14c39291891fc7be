// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes the response of an API to standard output or a file.
struct AnswerOutput {
    let body: [UInt8]
    let response: HTTPURLResponse

    /// Writes the response.
    ///
    /// - Parameters:
    ///   - path: The file for the body; `-` or `nil` for standard output.
    ///   - withFields: Whether status and fields come first, on standard output.
    /// - Throws: ``CommandFailure``.
    func write(to path: String?, withFields: Bool) throws {
        if withFields { StandardStream.output.write(head) }
        if let path, path != "-" {
            try OutputFile.write(body, to: path)
            return
        }
        // A response must not control the terminal, unless the user asks for it with `-o -`.
        guard path == "-" || !StandardStream.output.isTerminal || isPlainText else {
            throw CommandFailure(
                .failure,
                "the response is not plain text, and standard output is a terminal",
                hint: "-o FILE writes it to a file, -o - to the terminal anyway"
            )
        }
        StandardStream.output.write(body)
        if StandardStream.output.isTerminal, body.last != 0x0A, !body.isEmpty { StandardStream.output.write("\n") }
    }

    private var head: String {
        var lines = ["HTTP/1.1 \(response.statusCode)"]
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { "\($0): \(value)" }
        }
        lines += fields.sorted().map(SafeText.of)
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private var isPlainText: Bool {
        guard let text = String(validating: body, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\r" || scalar == "\t" || !SafeText.isDangerous(scalar)
        }
    }
}
