// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Times in the notation of RFC 3339, in UTC.
enum TimeText {
    /// `2019-09-25T14:42:58Z`; as a number of seconds when the year has more than four digits.
    static func text(of time: Timestamp) -> String {
        let seconds = time.secondsSince1970
        // The years 0000 to 9999.
        guard (-62_167_219_200..<253_402_300_800).contains(seconds) else { return "\(seconds) s after 1970" }
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let second = Int(seconds) - days * 86_400
        let date = civil(from: days)
        return "\(pad(date.year, 4))-\(pad(date.month))-\(pad(date.day))"
            + "T\(pad(second / 3600)):\(pad(second / 60 % 60)):\(pad(second % 60))Z"
    }

    /// A time with its distance from now: `2019-09-25T14:42:58Z, 3 minutes ago`.
    static func words(_ time: Timestamp, at now: Timestamp) -> String {
        let distance = DurationText.words(time <= now ? now - time : time - now)
        return "\(text(of: time)), " + (time <= now ? "\(distance) ago" : "in \(distance)")
    }

    /// Reads seconds since 1970, or an RFC 3339 date-time with `Z` or an offset.
    static func parse(_ text: String) -> Timestamp? {
        if let seconds = Int64(text) { return Timestamp(secondsSince1970: seconds) }
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20,
            bytes[13] == 0x3A, bytes[16] == 0x3A,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60,
            let offset = offset(bytes[19...])
        else { return nil }
        let days = days(year: year, month: month, day: day)
        guard civil(from: days) == (year, month, day) else { return nil }
        return Timestamp(secondsSince1970: Int64(days * 86_400 + hour * 3600 + minute * 60 + second - offset))
    }

    /// Seconds to subtract: `Z`, `+02:00`; a fraction of a second before it is dropped.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        if rest.first == 0x2E {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
        }
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == 0x7A { return rest.isEmpty ? 0 : nil }
        let start = rest.startIndex
        guard rest.count == 5, sign == 0x2B || sign == 0x2D, rest[start + 2] == 0x3A,
            let hours = number(rest[start..<start + 2]), let minutes = number(rest[(start + 3)...]), hours < 24,
            minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == 0x2B ? 1 : -1)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func pad(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar; years begin in March so that the leap day is the last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date of a number of days since 1970-01-01.
    private static func civil(from days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
