// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import COpenSSL

/// Shared functions for the C library: names, constants, error handling.
enum OpenSSL {
    /// `EVP_PKEY_KEYPAIR`, a macro that Swift does not import: key parameters, public and private part.
    static let selectKeyPair: Int32 = 0x87
    /// `EVP_PKEY_PUBLIC_KEY`, a macro that Swift does not import: key parameters and public part.
    static let selectPublicKey: Int32 = 0x86

    /// The C string of a literal.
    ///
    /// It lives as long as the process, as OSSL_PARAM requires of its names.
    static func name(_ literal: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// The error of a failed operation.
    ///
    /// Empties the error queue of this thread.
    static func failure(_ operation: String) -> CryptoError {
        ERR_clear_error()
        return CryptoError(operation)
    }

    /// Ends the process: the library lacks what every build of it has, and no input is the cause.
    static func unusable(_ operation: String) -> Never {
        fatalError("OpenSSL cannot \(operation): the installation is broken")
    }

    /// Calls a function with the address of the first element.
    ///
    /// It is never nil, even without elements, since OpenSSL reads nil as "not given".
    static func withPointer<Result>(
        _ bytes: Span<UInt8>,
        _ body: (UnsafePointer<UInt8>, Int) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { return unsafe body(base, buffer.count) }
            var nothing: UInt8 = 0
            return unsafe withUnsafePointer(to: &nothing) { unsafe body($0, 0) }
        }
    }

    /// An octet string parameter for OpenSSL, which reads the bytes and does not change them.
    static func octets(_ name: StaticString, _ start: UnsafePointer<UInt8>, _ count: Int) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_octet_string(Self.name(name), UnsafeMutableRawPointer(mutating: start), count)
    }

    /// A text parameter for OpenSSL, which reads the text and does not change it.
    static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_utf8_string(
            Self.name(name),
            UnsafeMutablePointer(mutating: Self.name(value)),
            value.utf8CodeUnitCount
        )
    }
}

/// An algorithm or key of OpenSSL that is immutable and lives as long as the process.
///
/// Sendable although it holds a pointer: OpenSSL only reads these objects, and counts their references atomically.
@safe
struct SharedHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer?, _ operation: String) {
        guard let pointer = unsafe pointer else { OpenSSL.unusable(operation) }
        unsafe self.pointer = pointer
    }
}
#endif
