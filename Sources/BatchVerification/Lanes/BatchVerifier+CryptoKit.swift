// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
extension BatchVerifier {
    /// Always fails: this platform has no library for batches.
    ///
    /// - Parameter folder: Ignored.
    /// - Returns: Never.
    /// - Throws: ``BatchVerificationError`` always.
    static func load(from folder: String?) throws(BatchVerificationError) -> BatchVerifier {
        throw .unavailable("there is no libcrypto_mb for this platform")
    }
}
#endif
