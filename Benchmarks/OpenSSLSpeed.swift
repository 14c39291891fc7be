// SPDX-License-Identifier: Apache-2.0

/// The results of `openssl speed` in the same run, in operations per second.
struct OpenSSLSpeed {
    private(set) var perSecond: [String: Double] = [:]

    /// Adds one figure.
    ///
    /// - Parameter text: The name of an operation and its figure, such as `ecdsap256-verify=23395.2`.
    /// - Throws: `BenchmarkError` for anything else.
    mutating func add(_ text: String) throws {
        let parts = text.split(separator: "=")
        guard parts.count == 2, let figure = Double(parts[1]), figure > 0 else {
            throw BenchmarkError("not a figure of openssl speed: \(text)")
        }
        perSecond[String(parts[0])] = figure
    }
}
