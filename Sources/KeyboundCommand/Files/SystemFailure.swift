// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An error of the system, as a failure of the command.
enum SystemFailure {
    /// Takes the reason from `errno`: call it right after the failed call.
    static func failure(_ what: String, _ exitCode: ExitCode = .unavailable, hint: String? = nil) -> CommandFailure {
        let reason = unsafe String(cString: strerror(errno))
        return CommandFailure(exitCode, "\(what): \(reason.lowercased())", hints: hint.map { [$0] } ?? [])
    }
}
