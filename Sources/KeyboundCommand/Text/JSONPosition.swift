// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// Where in a file a person finds what is not JSON.
enum JSONPosition {
    private static let place = ", at byte "

    /// The reason of an error, with line and column, both from 1, in place of the number of a byte.
    static func reason(_ error: StrictJSONError, in bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "it begins with a byte order mark: save it without" }
        guard let range = error.reason.firstRange(ofText: place), let index = Int(error.reason[range.upperBound...])
        else { return error.reason }
        let before = bytes.prefix(index)
        let line = before.count { $0 == 0x0A } + 1
        let column = index - (before.lastIndex(of: 0x0A) ?? -1)
        return "\(error.reason[..<range.lowerBound]), in line \(line), column \(column)"
    }
}
