// SPDX-License-Identifier: Apache-2.0

/// Declarations of CryptoKit for type-checking only: keys of the Secure Enclave. Not Sendable, whatever Apple's are.

public import Foundation
public import LocalAuthentication
public import Security

@available(iOS 13.0, macOS 10.15, *)
public enum SecureEnclave {
    public static var isAvailable: Bool { fatalError() }

    public enum P256 {
        public enum Signing {
            public struct PrivateKey {
                public init(
                    compactRepresentable: Bool = true,
                    accessControl: SecAccessControl,
                    authenticationContext: LAContext? = nil
                ) throws { fatalError() }
                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws { fatalError() }
                public var publicKey: CryptoKit.P256.Signing.PublicKey { fatalError() }
                public var dataRepresentation: Data { fatalError() }
                public func signature<D>(for data: D) throws -> CryptoKit.P256.Signing.ECDSASignature
                where D: DataProtocol { fatalError() }
            }
        }
    }
}
