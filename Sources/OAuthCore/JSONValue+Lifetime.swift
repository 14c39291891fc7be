// SPDX-License-Identifier: Apache-2.0

package import StrictJSON

extension JSONValue {
    /// A number of seconds as servers write it: a number, or a string that contains one.
    ///
    /// It is not negative, and a value above ten years counts as ten years. `nil` for anything else.
    package var lifetime: Duration? {
        let seconds: Double? =
            switch self {
            case .number(let number): number.double
            case .string(let text): Double(text)
            default: nil
            }
        guard let seconds, !seconds.isNaN else { return nil }
        return .seconds(Int64(min(max(seconds, 0), Self.maximumLifetime)))
    }

    /// Ten years, in seconds.
    private static var maximumLifetime: Double { 315_360_000 }
}
