// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
extension BatchVerifier {
    /// There is no library of lanes for this platform.
    ///
    /// - Parameter folder: Where it would be.
    /// - Returns: Never.
    /// - Throws: ``BatchVerificationError`` always.
    static func load(from folder: String?) throws(BatchVerificationError) -> BatchVerifier {
        throw .unavailable("there is no libcrypto_mb for this platform")
    }
}
#endif
