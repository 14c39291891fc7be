// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension BatchVerifier {
    /// Loads the library of lanes, asks whether this processor can do with it, and tries it.
    ///
    /// What is loaded stays as long as the process.
    ///
    /// - Parameter folder: Where `libcrypto_mb.so.13` and what it needs are; `nil` for the library path: the folders of
    ///   `LD_LIBRARY_PATH`, then those of the system.
    /// - Returns: The verifier.
    /// - Throws: ``BatchVerificationError`` when the library is not there, is cut off or cannot be loaded, needs another
    ///   processor, or gives a wrong answer. The text has the path and the system's reason.
    static func load(from folder: String?) throws(BatchVerificationError) -> BatchVerifier {
        try BatchVerifier(CryptoMB(CryptoMBFile.find(in: folder)))
    }
}
#endif
