// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

/// Attributes of an object, to create it or to search for it.
struct PKCS11Template {
    private var entries: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = []

    /// A template that starts with the class of the object.
    init(class objectClass: CK_OBJECT_CLASS) {
        add(CKA_CLASS, objectClass)
    }

    /// An empty template, to change attributes of an object.
    init() {}

    mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) {
        entries.append((type, value))
    }

    mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ number: CK_ULONG) {
        unsafe entries.append((type, withUnsafeBytes(of: number) { unsafe Array($0) }))
    }

    mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ flag: Bool) {
        entries.append((type, [flag ? 1 : 0]))
    }

    /// Calls a function with the attributes as a C array, which is valid only during the call.
    @unsafe func withAttributes<Result>(
        _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>, CK_ULONG) throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        // Modules read numbers in place, so each value is aligned to their size.
        let size = MemoryLayout<CK_ULONG>.size
        let counts = entries.map { ($0.value.count + size - 1) / size * size }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: counts.reduce(size, +), alignment: size)
        defer { unsafe memory.deallocate() }
        var attributes: [CK_ATTRIBUTE] = unsafe []
        var offset = 0
        for (entry, count) in zip(entries, counts) {
            let place = unsafe memory + offset
            unsafe UnsafeMutableRawBufferPointer(start: place, count: entry.value.count).copyBytes(from: entry.value)
            unsafe attributes.append(
                CK_ATTRIBUTE(type: entry.type, pValue: place, ulValueLen: CK_ULONG(entry.value.count))
            )
            offset += count
        }
        let count = unsafe CK_ULONG(attributes.count)
        return try unsafe body(&attributes, count)
    }
}
#endif
