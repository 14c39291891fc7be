// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// `libcrypto_mb` of the Intel Cryptography Primitives Library: eight signatures in the lanes of AVX-512.
///
/// It is loaded while the process runs and never needed to build. Its functions keep nothing between two calls, so any
/// thread may call them.
@safe
struct CryptoMB: LaneFunctions {
    /// `mbx_nistp256_ecdsa_verify_mb8` and its like.
    ///
    /// It takes r, s, digest, x, y and z (`nil`: affine) of eight lanes, and a buffer that it makes itself when there is none;
    /// it gives a status of four bits a lane, zero for valid.
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
    /// - Parameter file: Where it is.
    /// - Throws: ``CryptoError`` when it cannot be loaded, or not be used on this processor.
    init(_ file: CryptoMBFile) throws(CryptoError) {
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
            throw CryptoError("\(file.path) cannot be loaded: \(error)")
        }
        // 0: the features of the processor that it runs on.
        guard isApplicable(0) == 1 else {
            throw CryptoError("\(file.path) needs a processor with AVX-512 IFMA, which this one is not")
        }
    }

    func verify(_ lanes: SignatureLanes) -> UInt8 {
        guard lanes.count > 0 else { return 0 }
        let status = unsafe lanes.parts.withUnsafeBytes { parts in
            let columns = unsafe Self.columns(of: lanes, parts)
            guard lanes.algorithm == .ed25519 else {
                let function = unsafe lanes.algorithm == .es256 ? es256 : es384
                return unsafe function(columns[0], columns[1], columns[2], columns[3], columns[4], nil, nil)
            }
            return unsafe verifyEd25519(lanes, columns)
        }
        var valid: UInt8 = 0
        for lane in 0..<lanes.count where status >> UInt32(4 * lane) & 0xF == 0 { valid |= 1 << UInt8(lane) }
        return valid
    }

    private func verifyEd25519(_ lanes: SignatureLanes, _ columns: [[UnsafeRawPointer?]]) -> UInt32 {
        // Never empty, so that an empty message has an address too.
        let messages = lanes.messages + [0]
        return unsafe messages.withUnsafeBytes { messages in
            var starts: [UnsafeRawPointer?] = unsafe []
            var lengths: [UInt32] = []
            for position in 0..<SignatureLanes.maximumCount {
                let lane = position < lanes.count ? position : 0
                let start = lane == 0 ? 0 : lanes.messageEnds[lane - 1]
                unsafe starts.append(messages.baseAddress?.advanced(by: start))
                lengths.append(UInt32(lanes.messageEnds[lane] - start))
            }
            return unsafe ed25519(columns[0], columns[1], starts, lengths, columns[2])
        }
    }

    /// For each part eight pointers; lanes that are not used repeat the first one.
    private static func columns(of lanes: SignatureLanes, _ parts: UnsafeRawBufferPointer) -> [[UnsafeRawPointer?]] {
        let (partCount, size) = (lanes.partCount, lanes.algorithm.size)
        return unsafe (0..<partCount).map { part in
            unsafe (0..<SignatureLanes.maximumCount).map { position in
                let lane = position < lanes.count ? position : 0
                return unsafe parts.baseAddress?.advanced(by: (lane * partCount + part) * size)
            }
        }
    }
}
#endif
