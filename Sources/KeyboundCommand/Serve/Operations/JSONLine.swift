// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// A log entry for programs: one JSON object, with the time first.
enum JSONLine {
    static func bytes(_ first: JSONObject, _ rest: JSONObject = [:], at time: Timestamp) -> [UInt8] {
        var object: JSONObject = ["time": .string(text(of: time))]
        for member in first.members + rest.members { object[member.name] = member.value }
        return JSONValue.object(object).encoded()
    }

    /// RFC 3339, with milliseconds.
    private static func text(of time: Timestamp) -> String {
        let milliseconds = time.millisecondsSince1970 - time.secondsSince1970 * 1000
        let digits = String(1000 + milliseconds).dropFirst()
        return "\(TimeText.text(of: time).dropLast()).\(digits)Z"
    }
}
