// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The reason why a library could not be loaded, or a function is missing from it.
package struct SharedLibraryError: Error, CustomStringConvertible {
    /// The message of the system, in a sentence.
    package let description: String

    /// The error of the last call on this thread.
    static func last(_ name: String) -> SharedLibraryError {
        SharedLibraryError(description: unsafe dlerror().map { unsafe String(cString: $0) } ?? "cannot load \(name)")
    }
}
#endif
