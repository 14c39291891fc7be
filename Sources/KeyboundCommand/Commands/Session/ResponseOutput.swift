// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// Writes the response of an API to standard output or a file.
struct ResponseOutput {
    let response: HTTPResponse

    /// Writes the response.
    ///
    /// - Parameters:
    ///   - path: The file for the body; `-` or `nil` for standard output.
    ///   - withFields: Whether status and fields come first, on standard output.
    /// - Throws: ``CommandFailure``.
    func write(to path: String?, withFields: Bool) throws {
        if withFields { StandardStream.output.write(head) }
        if let path, path != "-" {
            try OutputFile.write(response.body, to: path)
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
        StandardStream.output.write(response.body)
        if StandardStream.output.isTerminal, response.body.last != 0x0A, !response.body.isEmpty {
            StandardStream.output.write("\n")
        }
    }

    private var head: String {
        var lines = ["HTTP/1.1 \(response.status)"]
        lines += response.fields.all.map { "\($0.name): \($0.value)" }.sorted().map(SafeText.of)
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private var isPlainText: Bool {
        guard let text = String(validating: response.body, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\r" || scalar == "\t" || !SafeText.isDangerous(scalar)
        }
    }
}
