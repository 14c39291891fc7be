// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrictJSON

/// One line of the table.
struct Row {
    /// The condition for a green row.
    enum Target {
        /// The minimum of reference / ours: how close we come to the limit.
        case ratio(Double)
        /// The maximum of ours, in the row's unit.
        case atMost(Double)
        /// The maximum of ours in microseconds, scaled to the machine of the targets by the time of one verification.
        case atMostScaled(Double, pace: Double)
        /// The minimum of ours, in the row's unit.
        case atLeast(Double)
    }

    let name: String
    let ours: Double
    let reference: Double
    let ratio: Double
    /// The smallest and the largest ratio of the rounds.
    let spread: ClosedRange<Double>
    /// The smallest and the largest value of ours.
    let oursSpread: ClosedRange<Double>
    let unit: String
    let target: Target?
    /// The operation of the reference.
    let referenceName: String

    /// A row of times; the ratio is reference / ours.
    static func times(_ name: String, _ rounds: Rounds, beside referenceName: String, target: Target?) -> Row {
        let ratios = zip(rounds.reference, rounds.ours).map { $0 / $1 }
        return Row(name, rounds, ratios, scale: 1e6, unit: "µs", target, referenceName)
    }

    /// A row of factors; the ratio is ours / reference.
    static func multiples(_ name: String, _ rounds: Rounds, beside referenceName: String, target: Target?) -> Row {
        let ratios = zip(rounds.reference, rounds.ours).map { $1 / $0 }
        return Row(name, rounds, ratios, scale: 1, unit: "x", target, referenceName)
    }

    /// A row of a count; the ratio is reference / ours.
    static func count(
        _ name: String,
        _ ours: Double,
        unit: String,
        beside reference: Double,
        _ referenceName: String,
        target: Target?
    ) -> Row {
        Row(
            name,
            Rounds(ours: [ours], reference: [reference]),
            [reference / ours],
            scale: 1,
            unit: unit,
            target,
            referenceName
        )
    }

    private init(
        _ name: String,
        _ rounds: Rounds,
        _ ratios: [Double],
        scale: Double,
        unit: String,
        _ target: Target?,
        _ referenceName: String
    ) {
        self.name = name
        ours = rounds.ours.median * scale
        reference = rounds.reference.median * scale
        ratio = ratios.median
        spread = ratios.range
        oursSpread = rounds.ours.map { $0 * scale }.range
        self.unit = unit
        self.target = target
        self.referenceName = referenceName
    }

    var targetText: String {
        switch target {
        case .ratio(let value): String(format: "ratio >= %.2f", value)
        case .atMost(let value), .atMostScaled(let value, _): String(format: "<= %.2f %@", value, unit)
        case .atLeast(let value): String(format: ">= %.2f %@", value, unit)
        case nil: "-"
        }
    }

    /// Whether the target is met, without scaling to another machine.
    var isMet: Bool? {
        switch target {
        case .ratio(let value): ratio >= value
        case .atMost(let value), .atMostScaled(let value, _): ours <= value
        case .atLeast(let value): ours >= value
        case nil: nil
        }
    }

    /// Our value scaled to the machine of the targets; `nil` if no scaling applies.
    var scaled: Double? {
        guard case .atMostScaled(_, let pace) = target else { return nil }
        return ours * MachinePace.ofTargets / pace
    }

    /// For the table: whether the target is met and, if the machine may be the cause, our scaled value.
    var verdict: String {
        guard let isMet else { return "" }
        guard !isMet, case .atMostScaled(_, let pace) = target, let scaled else { return isMet ? "met" : "missed" }
        let (there, here) = (MachinePace.ofTargets * 1e6, pace * 1e6)
        return String(format: "missed; %.2f at %.0f µs for a verification, %.0f here", scaled, there, here)
    }

    var json: JSONValue {
        [
            "name": .string(name), "ours": Self.number(ours), "reference": Self.number(reference),
            "ratio": Self.number(ratio), "ratioMinimum": Self.number(spread.lowerBound),
            "ratioMaximum": Self.number(spread.upperBound), "oursMinimum": Self.number(oursSpread.lowerBound),
            "oursMaximum": Self.number(oursSpread.upperBound), "unit": .string(unit), "target": .string(targetText),
            "met": isMet.map { .bool($0) } ?? .null, "scaled": scaled.map(Self.number) ?? .null,
            "referenceName": .string(referenceName),
        ]
    }

    static func number(_ value: Double) -> JSONValue {
        (try? JSONValue(parsing: Array(String(format: "%.4f", value).utf8))) ?? .null
    }
}
