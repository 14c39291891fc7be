// SPDX-License-Identifier: Apache-2.0

/// The options that `scripts/bench`, `scripts/bench-peers`, `scripts/bench-profile` and `scripts/bench-server` pass.
struct Options {
    private(set) var words: [String] = []
    /// The rows that show how cost grows, instead of those with targets.
    private(set) var isGrowth = false
    /// The rows over the number of callers, instead of those with targets.
    private(set) var isCallers = false
    /// Without the rows that need about 1 GiB of memory.
    private(set) var isSmall = false
    private(set) var isMarkdown = false
    private(set) var output: String?
    /// Versions that a program cannot determine itself, as pairs of a name and a text.
    private(set) var versions: [(name: String, text: String)] = []
    private(set) var opensslSpeed = OpenSSLSpeed()
    private(set) var profile: Rounds.Profile?
    private(set) var writeProofs: String?
    private(set) var peer: String?
    private(set) var replayMemory: Int?
    private(set) var load: String?
    private(set) var crash: String?
    private(set) var cluster: String?
    private(set) var race: String?
    private(set) var storage: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--growth": isGrowth = true
            case "--callers": isCallers = true
            case "--small": isSmall = true
            case "--markdown": isMarkdown = true
            case "--output": output = try value(of: argument)
            case "--compiler", "--commit": versions.append((String(argument.dropFirst(2)), try value(of: argument)))
            case "--openssl-speed": try opensslSpeed.add(value(of: argument))
            case "--profile": profile = try Rounds.Profile(parsing: value(of: argument))
            case "--write-proofs": writeProofs = try value(of: argument)
            case "--replay-memory": replayMemory = Int(try value(of: argument))
            case "--load": load = try value(of: argument)
            case "--crash": crash = try value(of: argument)
            case "--cluster": cluster = try value(of: argument)
            case "--race": race = try value(of: argument)
            case "--storage": storage = try value(of: argument)
            case "--peer": peer = try value(of: argument)
            case let name where name.hasPrefix("-"): throw BenchmarkError("unknown option \(name)")
            default: words.append(argument)
            }
        }
    }

    /// Whether a measurement is selected: without words, all are.
    ///
    /// A word selects a measurement if it is the name of its group or part of its own name; after `=`, it must be the
    /// whole name.
    func wants(_ measurement: Measurement) -> Bool {
        words.isEmpty
            || words.contains { word in
                word == measurement.group || word == "=" + measurement.name || measurement.name.contains(word)
            }
    }
}
