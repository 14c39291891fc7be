// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// Python's own parsers, as a second opinion on the meaning of an input.
public enum PythonProgram {
    /// Python ended with an error.
    public struct Failed: Error, CustomStringConvertible {
        /// Its standard error.
        public let description: String
    }

    /// Passes each input to a Python function, all in one process.
    ///
    /// - Parameters:
    ///   - inputs: The inputs.
    ///   - source: Defines `answer`, which takes the bytes of an input and returns a text without line breaks.
    /// - Returns: The results, in the order of the inputs.
    /// - Throws: ``Failed``, or the error that prevented the start of the program.
    public static func answers(to inputs: [[UInt8]], _ source: String) async throws -> [String] {
        let program = """
            import sys
            \(source)
            for line in sys.stdin:
                print(answer(bytes.fromhex(line)))
            """
        let python = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-I", "-c", program],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "LC_ALL": "C.UTF-8"],
            directory: "/",
            input: inputs.map { hex($0) + "\n" }.joined()
        )
        let result = await python.result()
        let answers = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard result.status == 0, answers.count == inputs.count else { throw Failed(description: result.errors) }
        return answers.map(String.init)
    }

    /// Two lower-case digits for each byte, as Python's `bytes.hex` writes them.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: The digits.
    public static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
