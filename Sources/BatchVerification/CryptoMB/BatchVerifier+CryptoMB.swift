// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension BatchVerifier {
    /// Loads the library, checks that it supports this processor, and runs the known-answer tests.
    ///
    /// The library stays loaded until the process ends.
    ///
    /// - Parameter folder: The folder of `libcrypto_mb.so.13` and its dependencies; `nil` for the library path: the
    ///   folders of `LD_LIBRARY_PATH`, then those of the system.
    /// - Returns: The verifier.
    /// - Throws: ``BatchVerificationError`` if the library is missing, is truncated, cannot be loaded, does not support
    ///   this processor, or gives a wrong result. The text contains the path and the system's reason.
    static func load(from folder: String?) throws(BatchVerificationError) -> BatchVerifier {
        try BatchVerifier(CryptoMB(CryptoMBFile.find(in: folder)))
    }
}
#endif
