// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// What a server presents in a TLS handshake, whether or not it is trusted.
package struct PresentedCertificates: Sendable {
    /// The certificates in PEM, that of the server first.
    package let chain: [String]
    /// Whether a certificate authority that the transport trusts vouches for them, at this time.
    package let isTrusted: Bool
    /// Why not, as a result code of OpenSSL; `nil` for no reason.
    package let verificationResult: Int?

    /// Makes the description of a handshake.
    ///
    /// - Parameters:
    ///   - chain: The certificates in PEM, that of the server first.
    ///   - isTrusted: Whether they were accepted, without regard to the name of the server.
    ///   - verificationResult: Why not (`X509_V_ERR_...`); `nil` for no reason.
    package init(chain: [String], isTrusted: Bool, verificationResult: Int?) {
        self.chain = chain
        self.isTrusted = isTrusted
        self.verificationResult = verificationResult
    }
}
#endif
