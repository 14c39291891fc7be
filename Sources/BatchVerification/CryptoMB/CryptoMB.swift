// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

#if os(Linux)
/// `libcrypto_mb` of the Intel Cryptography Primitives Library: eight signatures in AVX-512 lanes.
///
/// It is loaded at run time and not needed to build. Its functions keep no state between calls, so any thread may call
/// them.
@safe
struct CryptoMB: BatchFunctions {
    /// `mbx_nistp256_ecdsa_verify_mb8` and similar functions.
    ///
    /// Parameters: r, s, digest, x, y and z (`nil` for affine coordinates) of eight lanes, and a buffer, which the
    /// function allocates if it is `nil`. The result has a status of four bits for each lane, zero for valid.
    private typealias ECDSAFunction =
        @convention(c) (
            UnsafePointer<UnsafeRawPointer?>, UnsafePointer<UnsafeRawPointer?>, UnsafePointer<UnsafeRawPointer?>,
            UnsafePointer<UnsafeRawPointer?>, UnsafePointer<UnsafeRawPointer?>, UnsafeRawPointer?, UnsafeRawPointer?
        ) -> UInt32
    /// `mbx_ed25519_verify_mb8`: R, S, messages, their lengths, keys.
    private typealias Ed25519Function =
        @convention(c) (
            UnsafePointer<UnsafeRawPointer?>, UnsafePointer<UnsafeRawPointer?>, UnsafePointer<UnsafeRawPointer?>,
            UnsafePointer<UInt32>, UnsafePointer<UnsafeRawPointer?>
        ) -> UInt32
    private typealias ApplicableFunction = @convention(c) (UInt64) -> Int32

    let name: String
    private let es256: ECDSAFunction
    private let es384: ECDSAFunction
    private let ed25519: Ed25519Function

    /// Loads the library.
    ///
    /// - Parameter file: The path of the library and its dependencies.
    /// - Throws: ``BatchVerificationError`` if it cannot be loaded, or does not support this processor.
    init(_ file: CryptoMBFile) throws(BatchVerificationError) {
        name = "libcrypto_mb, \(file.path)"
        let isApplicable: ApplicableFunction
        do {
            for path in file.companions { _ = try SharedLibrary(path) }
            let library = try SharedLibrary(file.path)
            isApplicable = try unsafe library.function("mbx_is_crypto_mb_applicable")
            unsafe es256 = try unsafe library.function("mbx_nistp256_ecdsa_verify_mb8")
            unsafe es384 = try unsafe library.function("mbx_nistp384_ecdsa_verify_mb8")
            unsafe ed25519 = try unsafe library.function("mbx_ed25519_verify_mb8")
        } catch {
            throw .unavailable("\(file.path) cannot be loaded: \(error)", underlying: error)
        }
        // 0 selects the features of the current processor.
        guard isApplicable(0) == 1 else {
            throw .unavailable("\(file.path) needs a processor with AVX-512 IFMA, which this one is not")
        }
    }

    func verify(_ lanes: SignatureBatch) -> UInt8 {
        guard lanes.count > 0 else { return 0 }
        let status = unsafe lanes.parts.withUnsafeBytes { parts in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: 5 * Self.width) { table in
                unsafe Self.fill(table, with: lanes, parts)
                guard let column = unsafe UnsafePointer(table.baseAddress) else { return UInt32.max }
                guard lanes.algorithm == .ed25519 else {
                    let function = unsafe lanes.algorithm == .es256 ? es256 : es384
                    return unsafe function(
                        column,
                        column + Self.width,
                        column + 2 * Self.width,
                        column + 3 * Self.width,
                        column + 4 * Self.width,
                        nil,
                        nil
                    )
                }
                return unsafe verifyEd25519(lanes, column)
            }
        }
        var valid: UInt8 = 0
        for lane in 0..<lanes.count where status >> UInt32(4 * lane) & 0xF == 0 { valid |= 1 << UInt8(lane) }
        return valid
    }

    private func verifyEd25519(_ lanes: SignatureBatch, _ column: UnsafePointer<UnsafeRawPointer?>) -> UInt32 {
        unsafe lanes.messages.withUnsafeBytes { messages in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: Self.width) { starts in
                unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.width) { lengths in
                    for position in 0..<Self.width {
                        let range = lanes.messageRange(of: position < lanes.count ? position : 0)
                        unsafe starts.initializeElement(
                            at: position,
                            to: messages.baseAddress?.advanced(by: range.lowerBound)
                        )
                        unsafe lengths.initializeElement(at: position, to: UInt32(range.count))
                    }
                    guard let starts = unsafe UnsafePointer(starts.baseAddress),
                        let lengths = unsafe UnsafePointer(lengths.baseAddress)
                    else { return UInt32.max }
                    return unsafe ed25519(column, column + Self.width, starts, lengths, column + 2 * Self.width)
                }
            }
        }
    }

    private static let width = SignatureBatch.maximumCount

    /// Fills an array of pointers, one for each lane, for each part.
    ///
    /// Unused lanes repeat the first one.
    private static func fill(
        _ table: UnsafeMutableBufferPointer<UnsafeRawPointer?>,
        with lanes: SignatureBatch,
        _ parts: UnsafeRawBufferPointer
    ) {
        let (partCount, size) = (lanes.partCount, lanes.algorithm.size)
        for part in 0..<partCount {
            for position in 0..<width {
                let lane = position < lanes.count ? position : 0
                unsafe table.initializeElement(
                    at: part * width + position,
                    to: parts.baseAddress?.advanced(by: (lane * partCount + part) * size)
                )
            }
        }
    }
}
#endif
