// SPDX-License-Identifier: Apache-2.0

/// The text format of Prometheus, version 0.0.4.
struct PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""
    private var name = ""

    /// Begins a family of samples; `samples` adds them.
    mutating func family(_ name: String, _ type: String, _ help: String, _ samples: (inout PrometheusText) -> Void) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        samples(&self)
    }

    /// A family of one sample; nothing if there is no value.
    mutating func single(_ name: String, _ type: String, _ help: String, _ value: (some CustomStringConvertible)?) {
        guard let value else { return }
        family(name, type, help) { $0.sample(value) }
    }

    /// Adds a sample to the family that was begun.
    mutating func sample(
        _ value: some CustomStringConvertible,
        _ labels: KeyValuePairs<String, String> = [:],
        suffix: String = ""
    ) {
        let list = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += "\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        value.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.joined()
    }
}
