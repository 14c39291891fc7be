// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// The bytes of a statement's bound values in one buffer, so that SQLite needs no copies.
///
/// Not copyable: SQLite keeps addresses in the buffer from one binding to the next.
@safe
struct SQLiteBytes: ~Copyable {
    /// A larger buffer is released as soon as the next values need less.
    private static let usualCapacity = 512

    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: usualCapacity, alignment: 1)
    private var count = 0

    deinit {
        unsafe memory.deallocate()
    }

    /// Discards the previous values and reserves space for new ones.
    mutating func makeRoom(for values: [StoredValue]) {
        count = 0
        let needed = max(values.reduce(0) { sum, value in sum + value.byteCount }, Self.usualCapacity)
        guard unsafe needed > memory.count || (needed == Self.usualCapacity && memory.count > needed) else { return }
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: needed, alignment: 1)
    }

    /// Copies a value for which ``makeRoom(for:)`` reserved space.
    ///
    /// - Returns: The address of the copy. It is never `nil`, even without bytes, because SQLite takes `nil` for NULL.
    mutating func append(_ value: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + value.count)])
        unsafe room.copyMemory(from: value)
        count += value.count
        return room.baseAddress
    }
}

extension StoredValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
#endif
