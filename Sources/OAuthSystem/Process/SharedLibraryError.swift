// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// Why a library was not loaded, or has not what is looked for in it.
package struct SharedLibraryError: Error, CustomStringConvertible {
    /// What the system says, in a sentence.
    package let description: String

    /// What the system says about the last call of this thread.
    static func last(_ name: String) -> SharedLibraryError {
        SharedLibraryError(description: unsafe dlerror().map { unsafe String(cString: $0) } ?? "cannot load \(name)")
    }
}
#endif
