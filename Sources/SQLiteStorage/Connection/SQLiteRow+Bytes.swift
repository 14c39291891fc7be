// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

extension SQLiteRow {
    /// All columns in one value: for each its type, the number of its bytes, and the bytes.
    func bytes() -> [UInt8] {
        var bytes: [UInt8] = []
        for column in 0..<columnCount {
            unsafe withBytes(of: column) { type, value in
                unsafe withUnsafeBytes(of: Self.head(type, value)) { head in unsafe bytes.append(contentsOf: head) }
                unsafe bytes.append(contentsOf: value)
            }
        }
        return bytes
    }

    /// Whether ``bytes()`` would return these bytes.
    func holds(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { known in
            var position = 0
            for column in 0..<columnCount {
                let isSame = unsafe withBytes(of: column) { type, value in
                    let start = position + MemoryLayout<Int64>.size
                    position = start + value.count
                    return unsafe position <= known.count
                        && known.loadUnaligned(fromByteOffset: start - 8, as: Int64.self) == Self.head(type, value)
                        && Self.isEqual(value, known[start..<position])
                }
                guard isSame else { return false }
            }
            return position == known.count
        }
    }

    private static func head(_ type: Int32, _ value: UnsafeRawBufferPointer) -> Int64 {
        Int64(value.count) << 8 | Int64(type)
    }

    private static func isEqual(_ value: UnsafeRawBufferPointer, _ known: Slice<UnsafeRawBufferPointer>) -> Bool {
        let known = unsafe UnsafeRawBufferPointer(rebasing: known)
        // An empty buffer may have no address, and memcmp must not get a null pointer.
        guard let first = value.baseAddress, let second = known.baseAddress else { return true }
        return unsafe memcmp(first, second, value.count) == 0
    }
}
#endif
