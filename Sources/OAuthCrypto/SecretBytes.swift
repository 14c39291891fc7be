// SPDX-License-Identifier: Apache-2.0

/// Bytes in a separate allocation, which is wiped when its last reference is released.
///
/// Sendable although it holds an address: the memory is written only in `init` and `deinit`, when no other reference
/// exists.
@safe
package final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// Copies the bytes.
    ///
    /// Wipe the original.
    ///
    /// - Parameter bytes: The bytes.
    package convenience init(copying bytes: some Collection<UInt8>) {
        unsafe self.init(copying: bytes) { unsafe $0.deallocate() }
    }

    /// Copies the bytes into memory that a test can inspect before it is freed.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - release: Frees the memory, after it was wiped.
    init(copying bytes: some Collection<UInt8>, release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe memory = .allocate(byteCount: bytes.count, alignment: 1)
        unsafe memory.copyBytes(from: bytes)
        unsafe self.release = release
    }

    deinit {
        unsafe SecretMemory.wipe(memory)
        unsafe release(memory)
    }

    /// The number of bytes.
    package var count: Int { unsafe memory.count }

    /// Calls a function with the bytes, in an array that is wiped afterwards.
    ///
    /// - Parameter body: Receives the bytes. A copy that it keeps is not wiped.
    /// - Returns: The result of the function.
    /// - Throws: The error of the function.
    package func withArray<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var copy = unsafe [UInt8](memory)
        defer { SecretMemory.wipe(&copy) }
        return try body(copy)
    }
}
