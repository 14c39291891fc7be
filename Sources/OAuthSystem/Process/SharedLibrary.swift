// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// A library that is loaded when it is needed, and stays until the process ends.
///
/// What it gives out are addresses: a library that were unloaded would leave callers with addresses of nothing.
@safe package struct SharedLibrary: @unchecked Sendable {
    // The handle is only passed to dlsym, which may be called from any thread.
    private let handle: UnsafeMutableRawPointer

    /// Loads a library.
    ///
    /// - Parameter name: A path, or a name that the system looks for on its library path.
    /// - Throws: ``SharedLibraryError`` with what the system says.
    package init(_ name: String) throws(SharedLibraryError) {
        guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw SharedLibraryError.last(name) }
        unsafe self.handle = handle
    }

    /// The address of a function, as a pointer of its C type.
    ///
    /// - Parameters:
    ///   - name: The name of the function.
    ///   - type: The C type of the function, which nobody checks.
    /// - Returns: The function.
    /// - Throws: ``SharedLibraryError`` when the library has no such function.
    @unsafe package func function<Function>(
        _ name: String,
        as type: Function.Type = Function.self
    ) throws(SharedLibraryError) -> Function {
        guard let address = unsafe dlsym(handle, name) else { throw SharedLibraryError.last(name) }
        return unsafe unsafeBitCast(address, to: type)
    }
}
#endif
