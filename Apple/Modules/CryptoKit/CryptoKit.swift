// SPDX-License-Identifier: Apache-2.0

/// Declarations of CryptoKit for type-checking only.

public import Foundation

@available(iOS 13.0, macOS 10.15, *)
public enum CryptoKitError: Error {
    case incorrectKeySize
    case incorrectParameterSize
    case authenticationFailure
    case underlyingCoreCryptoError(error: Int32)
    case wrapFailure
    case unwrapFailure
    @available(iOS 16.0, macOS 13.0, *)
    case invalidParameter
}

// Hashes and codes

@available(iOS 13.0, macOS 10.15, *)
public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence where Element == UInt8 {
    static var byteCount: Int { get }
}

@available(iOS 13.0, macOS 10.15, *)
public protocol HashFunction {
    associatedtype Digest: CryptoKit.Digest
    static var blockByteCount: Int { get }
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

@available(iOS 13.0, macOS 10.15, *)
extension HashFunction {
    public static func hash<D>(data: D) -> Digest where D: DataProtocol { fatalError() }
    public mutating func update<D>(data: D) where D: DataProtocol { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SHA256Digest: Digest {
    public static var byteCount: Int { fatalError() }
    public var description: String { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SHA256: HashFunction {
    public typealias Digest = SHA256Digest
    public static var blockByteCount: Int { fatalError() }
    public init() { fatalError() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
    public func finalize() -> SHA256Digest { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SHA384Digest: Digest {
    public static var byteCount: Int { fatalError() }
    public var description: String { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SHA384: HashFunction {
    public typealias Digest = SHA384Digest
    public static var blockByteCount: Int { fatalError() }
    public init() { fatalError() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
    public func finalize() -> SHA384Digest { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SHA512Digest: Digest {
    public static var byteCount: Int { fatalError() }
    public var description: String { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SHA512: HashFunction {
    public typealias Digest = SHA512Digest
    public static var blockByteCount: Int { fatalError() }
    public init() { fatalError() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
    public func finalize() -> SHA512Digest { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct SymmetricKey: ContiguousBytes, Sendable {
    public init<D>(data: D) where D: ContiguousBytes { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, CustomStringConvertible, Sequence
where Element == UInt8 {
    var byteCount: Int { get }
}

@available(iOS 13.0, macOS 10.15, *)
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
    public var byteCount: Int { fatalError() }
    public var description: String { fatalError() }
    public static func == (left: Self, right: Self) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

@available(iOS 13.0, macOS 10.15, *)
public struct HMAC<H: HashFunction> {
    public typealias Key = SymmetricKey
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) { fatalError() }
    public mutating func update<D>(data: D) where D: DataProtocol { fatalError() }
    public func finalize() -> MAC { fatalError() }
    public static func authenticationCode<D>(for data: D, using key: SymmetricKey) -> MAC where D: DataProtocol {
        fatalError()
    }
}

@available(iOS 14.0, macOS 11.0, *)
public struct HKDF<H: HashFunction> {
    public static func deriveKey<Salt, Info>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt,
        info: Info,
        outputByteCount: Int
    ) -> SymmetricKey where Salt: DataProtocol, Info: DataProtocol { fatalError() }
}

// Ciphers

@available(iOS 13.0, macOS 10.15, *)
public enum AES {
    public enum GCM {
        public struct Nonce: ContiguousBytes, Sequence {
            public init() { fatalError() }
            public init<D>(data: D) throws where D: DataProtocol { fatalError() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
            public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
        }

        public struct SealedBox {
            public var tag: Data { fatalError() }
            public var ciphertext: Data { fatalError() }
            public var nonce: AES.GCM.Nonce { fatalError() }
            public init<C, T>(nonce: AES.GCM.Nonce, ciphertext: C, tag: T) throws
            where C: DataProtocol, T: DataProtocol { fatalError() }
        }

        public static func seal<Plaintext, AuthenticatedData>(
            _ message: Plaintext,
            using key: SymmetricKey,
            nonce: AES.GCM.Nonce? = nil,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> AES.GCM.SealedBox where Plaintext: DataProtocol, AuthenticatedData: DataProtocol { fatalError() }

        public static func open<AuthenticatedData>(
            _ sealedBox: AES.GCM.SealedBox,
            using key: SymmetricKey,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> Data where AuthenticatedData: DataProtocol { fatalError() }
    }
}

// Signatures

@available(iOS 13.0, macOS 10.15, *)
public enum P256 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data
            public init<D>(rawRepresentation: D) throws where D: DataProtocol { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<D>(rawRepresentation: D) throws where D: ContiguousBytes { fatalError() }
            public init<Bytes>(x963Representation: Bytes) throws where Bytes: ContiguousBytes { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public var x963Representation: Data { fatalError() }
            public func isValidSignature<D>(_ signature: P256.Signing.ECDSASignature, for data: D) -> Bool
            where D: DataProtocol { fatalError() }
        }

        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { fatalError() }
            public init<Bytes>(rawRepresentation: Bytes) throws where Bytes: ContiguousBytes { fatalError() }
            public var publicKey: P256.Signing.PublicKey { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public func signature<D>(for data: D) throws -> P256.Signing.ECDSASignature where D: DataProtocol {
                fatalError()
            }
        }
    }
}

@available(iOS 13.0, macOS 10.15, *)
public enum P384 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data
            public init<D>(rawRepresentation: D) throws where D: DataProtocol { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<D>(rawRepresentation: D) throws where D: ContiguousBytes { fatalError() }
            public init<Bytes>(x963Representation: Bytes) throws where Bytes: ContiguousBytes { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public var x963Representation: Data { fatalError() }
            public func isValidSignature<D>(_ signature: P384.Signing.ECDSASignature, for data: D) -> Bool
            where D: DataProtocol { fatalError() }
        }

        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { fatalError() }
            public init<Bytes>(rawRepresentation: Bytes) throws where Bytes: ContiguousBytes { fatalError() }
            public var publicKey: P384.Signing.PublicKey { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public func signature<D>(for data: D) throws -> P384.Signing.ECDSASignature where D: DataProtocol {
                fatalError()
            }
        }
    }
}

@available(iOS 13.0, macOS 10.15, *)
public enum P521 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data
            public init<D>(rawRepresentation: D) throws where D: DataProtocol { fatalError() }
        }

        public struct PublicKey: Sendable {
            public init<D>(rawRepresentation: D) throws where D: ContiguousBytes { fatalError() }
            public init<Bytes>(x963Representation: Bytes) throws where Bytes: ContiguousBytes { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public var x963Representation: Data { fatalError() }
            public func isValidSignature<D>(_ signature: P521.Signing.ECDSASignature, for data: D) -> Bool
            where D: DataProtocol { fatalError() }
        }

        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) { fatalError() }
            public init<Bytes>(rawRepresentation: Bytes) throws where Bytes: ContiguousBytes { fatalError() }
            public var publicKey: P521.Signing.PublicKey { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public func signature<D>(for data: D) throws -> P521.Signing.ECDSASignature where D: DataProtocol {
                fatalError()
            }
        }
    }
}

@available(iOS 13.0, macOS 10.15, *)
public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init<D>(rawRepresentation: D) throws where D: ContiguousBytes { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public func isValidSignature<S, D>(_ signature: S, for data: D) -> Bool
            where S: DataProtocol, D: DataProtocol { fatalError() }
        }

        public struct PrivateKey: Sendable {
            public init() { fatalError() }
            public init<D>(rawRepresentation: D) throws where D: ContiguousBytes { fatalError() }
            public var publicKey: Curve25519.Signing.PublicKey { fatalError() }
            public var rawRepresentation: Data { fatalError() }
            public func signature<D>(for data: D) throws -> Data where D: DataProtocol { fatalError() }
        }
    }
}
