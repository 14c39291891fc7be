// SPDX-License-Identifier: Apache-2.0

/// Durations in short notation: `60s`, `5m`, `8h`, `30d`.
enum DurationText {
    /// The longest duration of a setting or option, ten years: nobody means a longer one, and no sum of times overflows.
    static let longest: Duration = .seconds(3650 * 86_400)
    /// The longest time that a program that was told to stop waits for.
    static let longestStop: Duration = .seconds(3600)

    private static let units: [(letter: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    /// Reads a whole number with a unit; without a unit it is seconds.
    static func parse(_ text: String) -> Duration? {
        let unit = units.first { $0.letter == text.last }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits) else {
            return nil
        }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit?.seconds ?? 1)
        return overflow ? nil : .seconds(seconds)
    }

    /// The shortest exact form: `300` seconds are `5m`.
    static func text(of duration: Duration) -> String {
        let seconds = duration.components.seconds
        let unit = units.first { seconds != 0 && seconds % $0.seconds == 0 }
        return unit.map { "\(seconds / $0.seconds)\($0.letter)" } ?? "\(seconds)s"
    }

    /// In words, to the two largest units: `4 minutes 10 seconds`.
    static func words(_ duration: Duration) -> String {
        let units: [(name: String, seconds: Int64)] = [
            ("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
        ]
        var rest = duration.components.seconds.magnitude
        var parts: [String] = []
        for unit in units {
            let count = rest / unit.seconds.magnitude
            rest %= unit.seconds.magnitude
            if count > 0 { parts.append("\(count) \(unit.name)\(count == 1 ? "" : "s")") }
        }
        return parts.isEmpty ? "less than a second" : parts.prefix(2).joined(separator: " ")
    }
}
