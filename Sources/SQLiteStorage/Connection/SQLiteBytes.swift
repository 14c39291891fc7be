// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The bytes of the values that a statement is executed with, side by side, so that SQLite needs no copies of its own.
///
/// Not copyable: SQLite holds addresses in it from one binding to the next.
@safe
struct SQLiteBytes: ~Copyable {
    /// What is larger is given back as soon as the next values need less.
    private static let usualCapacity = 512

    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: usualCapacity, alignment: 1)
    private var count = 0

    deinit {
        unsafe memory.deallocate()
    }

    /// Forgets the values before, and has room for others.
    mutating func makeRoom(for values: [SQLiteValue]) {
        count = 0
        let needed = max(values.reduce(0) { sum, value in sum + value.byteCount }, Self.usualCapacity)
        guard unsafe needed > memory.count || (needed == Self.usualCapacity && memory.count > needed) else { return }
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: needed, alignment: 1)
    }

    /// Copies a value for which ``makeRoom(for:)`` has made room.
    ///
    /// - Returns: Where it is; of an address even when there are no bytes, as SQLite takes none for NULL.
    mutating func append(_ value: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + value.count)])
        unsafe room.copyMemory(from: value)
        count += value.count
        return room.baseAddress
    }
}

extension SQLiteValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
#endif
