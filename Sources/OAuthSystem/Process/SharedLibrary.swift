// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// A library loaded at run time, which stays loaded until the process ends.
///
/// Callers keep addresses of its functions; unloading would make them invalid.
@safe package struct SharedLibrary: @unchecked Sendable {
    // The handle is only passed to dlsym, which any thread may call.
    private let handle: UnsafeMutableRawPointer

    /// Loads a library.
    ///
    /// - Parameter name: A path, or a name that the system searches on its library path.
    /// - Throws: ``SharedLibraryError`` with the message of the system.
    package init(_ name: String) throws(SharedLibraryError) {
        guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw SharedLibraryError.last(name) }
        unsafe self.handle = handle
    }

    /// The address of a function, as a pointer of its C type.
    ///
    /// - Parameters:
    ///   - name: The name of the function.
    ///   - type: The C type of the function. It is not checked.
    /// - Returns: The function.
    /// - Throws: ``SharedLibraryError`` if the library has no such function.
    @unsafe package func function<Function>(
        _ name: String,
        as type: Function.Type = Function.self
    ) throws(SharedLibraryError) -> Function {
        guard let address = unsafe dlsym(handle, name) else { throw SharedLibraryError.last(name) }
        return unsafe unsafeBitCast(address, to: type)
    }
}
#endif
