// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The environment variables of this process.
package enum EnvironmentVariables {
    /// The value of a variable; `nil` if it is not set.
    package static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    #if os(macOS) || !canImport(Darwin)
    /// All variables.
    ///
    /// If a name occurs several times, the first value is used, as in ``value(_:)``.
    package static var all: [String: String] {
        var variables: [String: String] = [:]
        #if canImport(Darwin)
        guard var entry = unsafe _NSGetEnviron().pointee else { return [:] }
        #else
        var entry = unsafe environ
        #endif
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            unsafe entry += 1
        }
        return variables
    }
    #endif
}
