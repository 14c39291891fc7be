// SPDX-License-Identifier: Apache-2.0

import Glibc
import JOSE
import OAuthClient

/// Tells the script that started this program what happens, one line of JSON each.
enum Report {
    static func step(_ name: String, passed: Bool, note: String = "") {
        line(["step": .string(name), "passed": .bool(passed), "note": .string(note)])
    }

    /// Asks the script to take the user through the pages at this URL.
    static func open(_ url: String, label: String? = nil) {
        var object: JSONObject = ["open": .string(url)]
        object["label"] = label.map { .string($0) }
        line(object)
    }

    private static func line(_ object: JSONObject) {
        print(String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
        // Standard output is a pipe here, which the C library fills before it writes.
        fflush(nil)
    }
}

/// A browser that is somebody else: the script, which reads the URL from standard output.
struct ReportingLauncher: BrowserLauncher {
    func open(_ url: String) async throws(OAuthClientError) {
        Report.open(url)
    }
}
