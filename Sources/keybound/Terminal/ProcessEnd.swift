// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum ProcessEnd {
    static func now(_ code: ExitCode) -> Never {
        exit(code.rawValue)
    }
}
