// SPDX-License-Identifier: Apache-2.0

/// Octets in memory of their own, wiped when nobody needs them any more.
///
/// Sendable although it holds an address: the memory is written in `init`, and in `deinit`, when nobody else has it.
@safe
package final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// Takes a copy; wipe the original.
    ///
    /// - Parameter bytes: The octets.
    package convenience init(copying bytes: some Collection<UInt8>) {
        unsafe self.init(copying: bytes) { unsafe $0.deallocate() }
    }

    /// Takes a copy into memory that a test looks at before it is given back.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - release: Gives the memory back, after it was wiped.
    init(copying bytes: some Collection<UInt8>, release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe memory = .allocate(byteCount: bytes.count, alignment: 1)
        unsafe memory.copyBytes(from: bytes)
        unsafe self.release = release
    }

    deinit {
        unsafe SecretMemory.wipe(memory)
        unsafe release(memory)
    }

    /// How many octets there are.
    package var count: Int { unsafe memory.count }

    /// Calls a function with the octets, in an array that is wiped afterwards.
    ///
    /// - Parameter body: Gets the octets; an array that it keeps is not wiped.
    /// - Returns: What the function returned.
    /// - Throws: What the function threw.
    package func withArray<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var copy = unsafe [UInt8](memory)
        defer { SecretMemory.wipe(&copy) }
        return try body(copy)
    }
}
