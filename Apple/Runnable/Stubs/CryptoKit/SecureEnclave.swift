// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthCrypto
public import StandInLocalAuthentication
public import StandInSecurity

public enum SecureEnclave {
    public static var isAvailable: Bool { FakeSecureEnclave.isAvailable }

    public enum P256 {
        public enum Signing {
            /// Not Sendable, unlike what Apple may promise one day.
            public struct PrivateKey {
                public let dataRepresentation: Data
                private let handle: FakeSecureEnclave.Handle
                private let context: LAContext?

                public init(
                    compactRepresentable: Bool = true,
                    accessControl: SecAccessControl,
                    authenticationContext: LAContext? = nil
                ) throws {
                    try FakeSecureEnclave.check(.create)
                    let key = try P256PrivateKey()
                    FakeSecureEnclave.noteCreation(accessControl.protection, accessControl.flags)
                    handle = FakeSecureEnclave.Handle(key, accessControl.flags)
                    dataRepresentation = try FakeSecureEnclave.wrap(key, accessControl.flags)
                    context = authenticationContext
                }

                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
                    try FakeSecureEnclave.check(.open)
                    let (key, flags) = try FakeSecureEnclave.unwrap(dataRepresentation)
                    handle = FakeSecureEnclave.Handle(key, flags)
                    self.dataRepresentation = dataRepresentation
                    context = authenticationContext
                }

                public var publicKey: StandInCryptoKit.P256.Signing.PublicKey {
                    StandInCryptoKit.P256.Signing.PublicKey(
                        rawRepresentation: Data(handle.key.publicKey.x + handle.key.publicKey.y)
                    )
                }

                public func signature<D: DataProtocol>(
                    for data: D
                ) throws -> StandInCryptoKit.P256.Signing.ECDSASignature {
                    try FakeSecureEnclave.check(.sign)
                    if handle.flags != .privateKeyUsage { try (context ?? LAContext()).ask() }
                    let message = [UInt8](data)
                    let signature = try message.withSpan { try handle.key.signature(for: $0) }
                    return StandInCryptoKit.P256.Signing.ECDSASignature(rawRepresentation: Data(signature))
                }
            }
        }
    }
}
