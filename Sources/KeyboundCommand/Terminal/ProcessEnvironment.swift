// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The environment variables of the process.
enum ProcessEnvironment {
    /// The value of a variable; `nil` also if it is empty, as in POSIX tools.
    static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The names of the variables that begin with a text and are not empty.
    static func names(beginningWith prefix: String) -> [String] {
        var names: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let name = unsafe String(cString: text).prefix { $0 != "=" }
            if name.hasPrefix(prefix), value(String(name)) != nil { names.append(String(name)) }
            unsafe entry += 1
        }
        return names
    }
}
