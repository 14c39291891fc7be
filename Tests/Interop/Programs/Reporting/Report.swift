// SPDX-License-Identifier: Apache-2.0

import Glibc
import StrictJSON

/// Tells the script that started this program what happens, one line of JSON each.
package enum Report {
    package static func step(_ name: String, passed: Bool, note: String = "") {
        line(["step": .string(name), "passed": .bool(passed), "note": .string(note)])
    }

    /// Asks the script to take the user through the pages at this URL.
    package static func open(_ url: String) {
        line(["open": .string(url)])
    }

    /// Asks the script to do something; the answer is a line on standard input.
    package static func ask(_ label: String, _ value: String) {
        line(["open": .string(value), "label": .string(label)])
    }

    private static func line(_ object: JSONObject) {
        print(String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
        // Standard output is a pipe here, which the C library fills before it writes.
        fflush(nil)
    }
}
