// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The sized buffers of the C library (`TPM2B_*`): a two-byte count, then space for that many bytes.
///
/// They are accessed by address: Swift imports a C array as a tuple, and takes half a minute to compile code that uses
/// a tuple of two thousand elements.
enum TPMSizedBuffer {
    private static let headCount = MemoryLayout<UInt16>.size

    /// The bytes of a buffer, limited to those that were written.
    @unsafe static func octets<Buffer>(of buffer: UnsafePointer<Buffer>) -> [UInt8] {
        let start = unsafe UnsafeRawPointer(buffer)
        let count = min(Int(unsafe start.load(as: UInt16.self)), capacity(of: Buffer.self))
        return unsafe Array(UnsafeRawBufferPointer(start: start + headCount, count: count))
    }

    /// The bytes of a buffer that is a value.
    static func octets<Buffer>(of buffer: Buffer) -> [UInt8] {
        unsafe withUnsafePointer(to: buffer) { unsafe octets(of: $0) }
    }

    /// Fills a buffer; returns `false`, without changing it, if it is too small.
    static func fill<Buffer>(_ buffer: inout Buffer, with octets: [UInt8]) -> Bool {
        guard octets.count <= capacity(of: Buffer.self) else { return false }
        unsafe withUnsafeMutableBytes(of: &buffer) { bytes in
            unsafe bytes.storeBytes(of: UInt16(octets.count), as: UInt16.self)
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[headCount...]).copyBytes(from: octets)
        }
        return true
    }

    private static func capacity<Buffer>(of type: Buffer.Type) -> Int { MemoryLayout<Buffer>.size - headCount }
}
#endif
