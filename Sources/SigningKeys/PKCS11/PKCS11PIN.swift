// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import OAuthCrypto
public import OAuthSystem

/// The source of a token's PIN.
///
/// It prints as a placeholder. Stored PIN bytes are wiped from memory with their last copy.
public struct PKCS11PIN: Sendable, RedactedSecret {
    /// The maximum size of a PIN in bytes.
    public static let maximumCount = 255

    private enum Source: Sendable {
        case bytes(SecretBytes)
        case file(String)
        case question(@Sendable () throws -> [UInt8])
        case device
        case none
    }

    private let source: Source

    /// A known PIN.
    ///
    /// - Parameter bytes: 1 to 255 bytes. Wipe your copy.
    /// - Returns: The source.
    public static func bytes(_ bytes: [UInt8]) -> PKCS11PIN {
        PKCS11PIN(source: .bytes(SecretBytes(copying: bytes)))
    }

    /// A file with the PIN, read each time the token requires it; a line break at its end is ignored.
    ///
    /// - Parameter path: The path. The file is rejected if anyone may read or write it, or a group may write it.
    /// - Returns: The source.
    public static func file(_ path: String) -> PKCS11PIN {
        PKCS11PIN(source: .file(path))
    }

    /// An open file descriptor from which the PIN is read; it is read to its end now, and closed.
    ///
    /// - Parameter number: The descriptor; a line break at the end is ignored.
    /// - Returns: The source.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/storageFailed`` if it cannot be read,
    ///   ``KeyStoreError/Code/invalidSecret`` if it is empty or too long for a PIN.
    public static func descriptor(_ number: Int32) throws(KeyStoreError) -> PKCS11PIN {
        var bytes = try read(FileDescriptor(number, "the descriptor \(number)"))
        defer { SecretMemory.wipe(&bytes) }
        return .bytes(bytes)
    }

    /// A prompt for a user, called when the token requires the PIN.
    ///
    /// - Parameter question: Returns the PIN; may block, because it is called on a thread of the store. If it throws,
    ///   no PIN is tried, and the call of the store throws ``KeyStoreError/Code/userCanceled``.
    /// - Returns: The source.
    public static func asking(_ question: @escaping @Sendable () throws -> [UInt8]) -> PKCS11PIN {
        PKCS11PIN(source: .question(question))
    }

    /// The keypad of the device (`CKF_PROTECTED_AUTHENTICATION_PATH`): no program sees the PIN.
    public static let enteredOnDevice = PKCS11PIN(source: .device)

    /// No PIN: for tokens that require none.
    public static let none = PKCS11PIN(source: .none)

    /// Calls a function with the PIN, `nil` if it is entered on the device; the argument is wiped afterwards.
    func withBytes<Result>(
        _ body: ([UInt8]?) throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        switch source {
        case .device: return try body(nil)
        case .none:
            throw KeyStoreError(.deviceLocked, "the token wants a PIN, and there is none")
        case .bytes(let bytes):
            return try bytes.withArray { bytes throws(KeyStoreError) in try body(Self.checked(bytes)) }
        case .file(let path):
            var bytes = try Self.read(path)
            defer { SecretMemory.wipe(&bytes) }
            return try body(bytes)
        case .question(let question):
            var bytes = try Self.ask(question)
            defer { SecretMemory.wipe(&bytes) }
            return try body(Self.checked(bytes))
        }
    }

    private static func ask(_ question: @Sendable () throws -> [UInt8]) throws(KeyStoreError) -> [UInt8] {
        do {
            return try question()
        } catch {
            throw KeyStoreError(.userCanceled, "no PIN was given", underlying: error)
        }
    }

    private static func read(_ path: String) throws(KeyStoreError) -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw KeyStoreError(.system("open the file \(path) with the PIN")) }
        let file = FileDescriptor(number, "the file \(path) with the PIN")
        let status = try KeyStoreError.wrapping { () throws(FileError) in try file.status() }
        do throws(FileError) {
            try FileAccess.ownerAndReadingGroup.check(status, "the file \(path) with the PIN")
        } catch {
            throw KeyStoreError(.insecurePermissions, error.reason)
        }
        return try read(file)
    }

    private static func read(_ file: FileDescriptor) throws(KeyStoreError) -> [UInt8] {
        // Taken over, not copied: the caller wipes it.
        guard
            var bytes = try KeyStoreError.wrapping({ () throws(FileError) in
                try file.readAll(maximumCount: maximumCount + 2)
            })
        else { throw wrongCount }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return try checked(bytes)
    }

    private static func checked(_ bytes: [UInt8]) throws(KeyStoreError) -> [UInt8] {
        guard (1...maximumCount).contains(bytes.count) else { throw wrongCount }
        return bytes
    }

    private static let wrongCount = KeyStoreError(.invalidSecret, "a PIN has 1 to \(maximumCount) octets")
}
#endif
