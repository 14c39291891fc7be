// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto

/// Memory for a `DBusMessageIter`: 72 bytes with 8-byte pointers; larger here, because the library fills it in.
@safe private final class DBusIterator {
    let pointer: UnsafeMutableRawPointer

    init() {
        unsafe pointer = .allocate(byteCount: 256, alignment: 16)
        unsafe pointer.initializeMemory(as: UInt8.self, repeating: 0, count: 256)
    }

    deinit {
        unsafe pointer.deallocate()
    }
}

private func code(_ character: Unicode.Scalar) -> CInt { CInt(bitPattern: character.value) }

/// Appends values to a message.
@safe struct DBusWriter {
    private let library: DBusLibrary

    init(_ library: DBusLibrary) {
        self.library = library
    }

    @unsafe func write(_ values: [DBusValue], to message: UnsafeMutableRawPointer) throws(KeyStoreError) {
        let iterator = DBusIterator()
        unsafe library.beginAppending(message, iterator.pointer)
        for value in values {
            guard append(value, to: iterator) else { throw DBusConnection.outOfMemory }
        }
    }

    private func append(_ value: DBusValue, to iterator: DBusIterator) -> Bool {
        switch value {
        case .string(let text): append(text, code("s"), to: iterator)
        case .objectPath(let path): append(path, code("o"), to: iterator)
        case .boolean(let isTrue): append(isTrue, to: iterator)
        case .bytes(let bytes): bytes.withArray { append($0, to: iterator) }
        case .array(let element, let values): append(values, in: code("a"), element, to: iterator)
        case .entry(let key, let value): append([key, value], in: code("e"), nil, to: iterator)
        case .structure(let values): append(values, in: code("r"), nil, to: iterator)
        case .variant(let value): append([value], in: code("v"), value.signature, to: iterator)
        }
    }

    private func append(_ text: String, _ type: CInt, to iterator: DBusIterator) -> Bool {
        unsafe text.withCString { text in
            unsafe withUnsafePointer(to: text) { unsafe library.appendBasic(iterator.pointer, type, $0) != 0 }
        }
    }

    private func append(_ isTrue: Bool, to iterator: DBusIterator) -> Bool {
        let number: UInt32 = isTrue ? 1 : 0
        return unsafe withUnsafePointer(to: number) { unsafe library.appendBasic(iterator.pointer, code("b"), $0) != 0 }
    }

    private func append(_ bytes: [UInt8], to iterator: DBusIterator) -> Bool {
        inContainer(code("a"), "y", of: iterator) { inner in
            unsafe bytes.withUnsafeBytes { buffer in
                // The address of an empty buffer may be nil; there is then nothing to append.
                guard let address = buffer.baseAddress else { return true }
                return unsafe withUnsafePointer(to: address) {
                    unsafe library.appendFixedArray(inner.pointer, code("y"), $0, CInt(buffer.count)) != 0
                }
            }
        }
    }

    private func append(_ values: [DBusValue], in type: CInt, _ contents: String?, to iterator: DBusIterator) -> Bool {
        inContainer(type, contents, of: iterator) { inner in values.allSatisfy { append($0, to: inner) } }
    }

    private func inContainer(
        _ type: CInt,
        _ contents: String?,
        of iterator: DBusIterator,
        _ body: (DBusIterator) -> Bool
    ) -> Bool {
        let inner = DBusIterator()
        let isOpen =
            if let contents {
                unsafe contents.withCString {
                    unsafe library.openContainer(iterator.pointer, type, $0, inner.pointer) != 0
                }
            } else {
                unsafe library.openContainer(iterator.pointer, type, nil, inner.pointer) != 0
            }
        guard isOpen, body(inner) else { return false }
        return unsafe library.closeContainer(iterator.pointer, inner.pointer) != 0
    }
}

/// Reads values from a message.
@safe struct DBusReader {
    /// The Secret Service's replies are nested at most four deep, and short.
    private static let maximumDepth = 8
    private static let maximumCount = 1024

    private let library: DBusLibrary

    init(_ library: DBusLibrary) {
        self.library = library
    }

    @unsafe func values(of message: UnsafeMutableRawPointer) throws(KeyStoreError) -> [DBusValue] {
        let iterator = DBusIterator()
        guard unsafe library.beginReading(message, iterator.pointer) != 0 else { return [] }
        return try values(iterator, depth: 0)
    }

    private func values(_ iterator: DBusIterator, depth: Int) throws(KeyStoreError) -> [DBusValue] {
        guard depth < Self.maximumDepth else { throw Self.malformed }
        var values: [DBusValue] = []
        while unsafe library.argumentType(iterator.pointer) != 0 {
            guard values.count < Self.maximumCount else { throw Self.malformed }
            values.append(try value(iterator, depth: depth))
            _ = unsafe library.next(iterator.pointer)
        }
        return values
    }

    private func value(_ iterator: DBusIterator, depth: Int) throws(KeyStoreError) -> DBusValue {
        switch unsafe library.argumentType(iterator.pointer) {
        case code("s"): return .string(text(iterator))
        case code("o"): return .objectPath(text(iterator))
        case code("b"): return .boolean(boolean(iterator))
        case code("r"): return .structure(try inner(iterator, depth))
        case code("v"):
            guard let value = try inner(iterator, depth).first else { throw Self.malformed }
            return .variant(value)
        case code("a") where unsafe library.elementType(iterator.pointer) == code("y"): return .bytes(bytes(iterator))
        case code("a") where unsafe library.elementType(iterator.pointer) == code("o"):
            return .array("o", try inner(iterator, depth))
        default: throw Self.malformed
        }
    }

    private func inner(_ iterator: DBusIterator, _ depth: Int) throws(KeyStoreError) -> [DBusValue] {
        let inner = DBusIterator()
        unsafe library.recurse(iterator.pointer, inner.pointer)
        return try values(inner, depth: depth + 1)
    }

    private func text(_ iterator: DBusIterator) -> String {
        var text: UnsafePointer<CChar>?
        unsafe withUnsafeMutablePointer(to: &text) {
            unsafe library.basic(iterator.pointer, UnsafeMutableRawPointer($0))
        }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    private func boolean(_ iterator: DBusIterator) -> Bool {
        var number: UInt32 = 0
        unsafe withUnsafeMutablePointer(to: &number) {
            unsafe library.basic(iterator.pointer, UnsafeMutableRawPointer($0))
        }
        return number != 0
    }

    private func bytes(_ iterator: DBusIterator) -> SecretBytes {
        let inner = DBusIterator()
        unsafe library.recurse(iterator.pointer, inner.pointer)
        var start: UnsafePointer<UInt8>?
        var count: CInt = 0
        unsafe withUnsafeMutablePointer(to: &start) {
            unsafe library.fixedArray(inner.pointer, UnsafeMutableRawPointer($0), &count)
        }
        guard let start = unsafe start, count > 0, count <= Self.maximumCount else { return SecretBytes(copying: []) }
        return unsafe SecretBytes(copying: UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private static var malformed: KeyStoreError {
        KeyStoreError(.deviceFailed, "the Secret Service answered something else than was asked for")
    }
}
#endif
