// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import HTTPMessage

/// Reads the request line and the header fields from the library's buffer.
@safe
struct HeaderBlock {
    /// The method as sent.
    let method: String
    /// The version as sent.
    let version: String
    /// The fields in order, with any white space after the value.
    private(set) var fields = HTTPFields()
    /// Whether the lines are contiguous, each with CR LF at its end, and fill the block.
    ///
    /// The library also accepts a bare LF as the end of a line, joins folded lines, ends a value at a NUL character,
    /// and ends the whole block at a line that begins with NUL or a colon. It reports none of this. But its callbacks
    /// get pointers into the buffer in which it found the lines, and each of these cases leaves a gap or an overlap
    /// there.
    private(set) var isContiguous: Bool

    /// Where the next line must begin.
    private var position: UInt

    /// The release whose buffer is known to have this layout; later releases reject such lines themselves.
    private static let isLayoutKnown = unsafe String(cString: MHD_get_version()) == "0.9.75"

    init(
        _ connection: OpaquePointer,
        method: UnsafePointer<CChar>?,
        version: UnsafePointer<CChar>?,
        targetLength: Int
    ) {
        self.method = unsafe method.map { unsafe String(cString: $0) } ?? ""
        self.version = unsafe version.map { unsafe String(cString: $0) } ?? ""
        let start = UInt(bitPattern: method)
        let versionStart = UInt(bitPattern: version)
        isContiguous = start &+ UInt(self.method.utf8.count + 1 + targetLength + 1) == versionStart
        position = versionStart &+ UInt(self.version.utf8.count + 2)
        _ = unsafe withUnsafeMutablePointer(to: &self) { block in
            unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, Self.onField, block)
        }
        let size = unsafe keybound_connection_info(connection, .CONNECTION_INFO_REQUEST_HEADER_SIZE)?.pointee
            .header_size
        isContiguous = isContiguous && position &+ 2 == start &+ UInt(size ?? 0) || !Self.isLayoutKnown
    }

    private static let onField: MHD_KeyValueIteratorN = { block, _, name, nameSize, value, valueSize in
        unsafe block?.assumingMemoryBound(to: HeaderBlock.self).pointee.append(
            UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
            UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
        )
        return .YES
    }

    private mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let nameStart = UInt(bitPattern: name.baseAddress)
        let valueStart = UInt(bitPattern: value.baseAddress)
        // Between name and value are the colon and any white space that the library skipped.
        isContiguous = isContiguous && nameStart == position && valueStart > nameStart &+ UInt(name.count)
        position = valueStart &+ UInt(value.count + 2)
        unsafe fields.append(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }
}
#endif
