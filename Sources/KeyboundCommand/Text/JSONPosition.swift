// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Where in a file a person finds what is not JSON.
enum JSONPosition {
    /// The reason of an error, with line and column, both from 1, in place of the number of a byte.
    static func reason(_ error: StrictJSONError, in bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "it begins with a byte order mark: save it without" }
        guard let offset = error.offset else { return error.reason }
        let before = bytes.prefix(offset)
        let line = before.count { $0 == 0x0A } + 1
        let column = offset - (before.lastIndex(of: 0x0A) ?? -1)
        return "\(error.problem), in line \(line), column \(column)"
    }
}
