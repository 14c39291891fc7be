// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem

/// A date of a field in the preferred format: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
package struct HTTPDate {
    /// The time.
    package let time: Timestamp

    /// Reads a date, independent of the device's locale and time zone; `nil` for every other format.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, text.hasSuffix(" GMT"), bytes[3] == UInt8(ascii: ","), bytes[19] == bytes[22],
            bytes[19] == UInt8(ascii: ":"),
            let month = Self.months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)),
            let day = Self.number(bytes[5..<7]), let year = Self.number(bytes[12..<16]),
            let hour = Self.number(bytes[17..<19]), let minute = Self.number(bytes[20..<22]),
            let second = Self.number(bytes[23..<25]),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60, year >= 1970
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month + 1, day: day)
        time = Timestamp(secondsSince1970: ((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Days in the Gregorian calendar, counted in years that begin in March, so that a leap day is the last of its
    /// year.
    private static func daysSince1970(year: Int64, month: Int, day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = Int64((month + 9) % 12)
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
