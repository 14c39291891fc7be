// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a target does when a property does not hold.
public enum Finding {
    /// Says what does not hold and ends the process, so that libFuzzer keeps the input.
    public static func report(_ message: String) -> Never {
        let line = Array("finding: \(message)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
        abort()
    }

    /// Reports a finding unless a property holds.
    static func unless(_ holds: Bool, _ message: @autoclosure () -> String) {
        if !holds { report(message()) }
    }
}
