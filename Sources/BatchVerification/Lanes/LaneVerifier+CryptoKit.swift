// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
package import OAuthCrypto
extension LaneVerifier {
    /// There is no library of lanes for this platform.
    ///
    /// - Parameter folder: Where it would be.
    /// - Returns: Never.
    /// - Throws: ``CryptoError`` always.
    package static func load(from folder: String?) throws(CryptoError) -> LaneVerifier {
        throw CryptoError("there is no libcrypto_mb for this platform")
    }
}
#endif
