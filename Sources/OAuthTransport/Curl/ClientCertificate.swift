// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem

/// A certificate and its private key, both in PEM, that a client presents when it connects (RFC 8705).
public struct ClientCertificate: Sendable, RedactedSecret {
    /// The certificate, followed by its chain to the certificate authority.
    public let certificate: [UInt8]
    /// The private key in PKCS #8, not encrypted.
    public let privateKey: [UInt8]

    /// Makes a certificate from two PEM texts.
    ///
    /// - Parameters:
    ///   - certificate: The certificate and its chain.
    ///   - privateKey: The private key.
    public init(certificate: [UInt8], privateKey: [UInt8]) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
#endif
