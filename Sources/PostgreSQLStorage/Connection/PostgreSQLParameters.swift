// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// The bytes of a statement's values in one buffer, in the form that libpq takes; it copies them.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// Calls a function with the addresses, lengths and formats of values.
    mutating func withPointers<Result>(
        to values: [StoredValue],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        bytes.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        for value in values {
            let start = bytes.count
            value.append(to: &bytes)
            offsets.append(value.isNull ? -1 : start)
            lengths.append(Int32(bytes.count - start))
            // An empty value still needs an address: a null pointer is NULL.
            bytes.append(0)
        }
        formats = [Int32](repeating: 1, count: values.count)
        return unsafe bytes.withUnsafeBytes { bytes in
            let pointers = unsafe offsets.map { offset in
                unsafe offset < 0 ? nil : bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}

extension StoredValue {
    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether it is a text that PostgreSQL cannot store.
    var holdsZeroByte: Bool {
        if case .text(let text) = self { text.utf8.contains(0) } else { false }
    }

    /// The identifier of its type in `pg_type`; 0 leaves it to the server.
    var typeID: UInt32 {
        switch self {
        case .null: 0
        case .integer: 20
        case .text: 25
        case .blob: 17
        }
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .integer(let number):
            unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        case .text(let text): bytes.append(contentsOf: text.utf8)
        case .blob(let blob): bytes.append(contentsOf: blob)
        }
    }
}
#endif
