// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

/// Up to eight signatures of one algorithm, in the layout that the backend reads.
///
/// Each signature added by ``append(_:_:_:)-(P256PublicKey,_,_)`` and its overloads has passed every check that the
/// backend leaves out: the point is on the curve, r and s are in range, S is below the order. The library itself
/// accepts an S above it.
struct SignatureBatch: Sendable {
    static let maximumCount = 8

    /// The algorithm of all signatures.
    let algorithm: BatchAlgorithm
    /// The number of signatures.
    private(set) var count = 0
    /// The parts of each lane; their length depends on the algorithm.
    ///
    /// For ECDSA r, s and the digest, big-endian, and x and y, little-endian; for Ed25519 R, S and the key.
    private(set) var parts: [UInt8] = []
    /// The messages that Ed25519 hashes itself, concatenated.
    ///
    /// Never empty, so that an empty message has an address too.
    private(set) var messages: [UInt8] = []
    /// The end of each lane's message in ``messages``.
    private(set) var messageEnds: [Int] = []

    /// Creates an empty batch.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm.
    ///   - capacity: The number of signatures to reserve space for.
    init(_ algorithm: BatchAlgorithm, capacity: Int = maximumCount) {
        self.algorithm = algorithm
        parts.reserveCapacity(capacity * partCount * algorithm.size)
        guard algorithm == .ed25519 else { return }
        messages.reserveCapacity(capacity * Self.usualMessageCount)
        messages.append(0)
    }

    /// The length in bytes of a proof with all claims, and some reserve.
    private static let usualMessageCount = 640

    var isFull: Bool { count == Self.maximumCount }

    /// The number of parts of a lane.
    var partCount: Int { algorithm == .ed25519 ? 3 : 5 }

    /// Adds a signature of ES256.
    ///
    /// - Parameters:
    ///   - key: The public key of the signer.
    ///   - signature: r and s.
    ///   - message: The signed message.
    /// - Returns: False if a check fails that the backend leaves out: the signature is invalid, and is not added.
    mutating func append(_ key: P256PublicKey, _ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        guard algorithm == .es256, hasScalarsInRange(signature), key.isOnCurve() else { return false }
        parts.append(bytesOf: signature)
        SHA256.hash(message).withBytes { parts.append(bytesOf: $0) }
        key.xBytes.reversed.withBytes { parts.append(bytesOf: $0) }
        key.yBytes.reversed.withBytes { parts.append(bytesOf: $0) }
        count += 1
        return true
    }

    /// Adds a signature of ES384.
    ///
    /// - Parameters:
    ///   - key: The public key of the signer.
    ///   - signature: r and s.
    ///   - message: The signed message.
    /// - Returns: False if a check fails that the backend leaves out: the signature is invalid, and is not added.
    mutating func append(_ key: ECPublicKey, _ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        guard algorithm == .es384, key.curve == .p384, hasScalarsInRange(signature), key.isOnCurve() else {
            return false
        }
        parts.append(bytesOf: signature)
        parts += HashAlgorithm.sha384.hash(unsafe message.withUnsafeBufferPointer { unsafe Array($0) })
        key.x.withSpan { parts.append(reversed: $0) }
        key.y.withSpan { parts.append(reversed: $0) }
        count += 1
        return true
    }

    /// Adds a signature of Ed25519.
    ///
    /// - Parameters:
    ///   - key: The public key of the signer. Its initializer has checked that it is reduced and not of small order.
    ///   - signature: R and S.
    ///   - message: The signed message.
    /// - Returns: False if a check fails that the backend leaves out: the signature is invalid, and is not added.
    mutating func append(_ key: Ed25519PublicKey, _ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        guard algorithm == .ed25519, signature.count == 2 * algorithm.size, hasReducedS(signature) else { return false }
        parts.append(bytesOf: signature)
        parts += key.rawRepresentation
        messages.append(bytesOf: message)
        messageEnds.append(messages.count)
        count += 1
        return true
    }

    /// Adds signatures from another batch, which their callers prepared.
    ///
    /// - Parameter others: Signatures of the same algorithm, no more than there are free lanes.
    mutating func append(contentsOf others: SignatureBatch) {
        precondition(others.algorithm == algorithm && count + others.count <= Self.maximumCount)
        parts += others.parts
        count += others.count
        guard algorithm == .ed25519 else { return }
        // Excludes the byte that keeps the messages from being empty.
        let offset = messages.count - 1
        messages += others.messages.dropFirst()
        messageEnds += others.messageEnds.map { $0 + offset }
    }

    /// The range of a lane's message in ``messages``.
    func messageRange(of lane: Int) -> Range<Int> {
        (lane == 0 ? 1 : messageEnds[lane - 1])..<messageEnds[lane]
    }

    /// Adds an unchecked lane, for the known-answer tests.
    mutating func append(unchecked lane: KnownAnswerTest) {
        parts += lane.parts
        if algorithm == .ed25519 {
            messages += lane.message
            messageEnds.append(messages.count)
        }
        count += 1
    }

    /// FIPS 186-5 section 6.4.2, step 1: r and s are at least 1 and below the order.
    private func hasScalarsInRange(_ signature: Span<UInt8>) -> Bool {
        let (size, order) = (algorithm.size, algorithm.order)
        guard signature.count == 2 * size else { return false }
        let (r, s) = (signature.extracting(0..<size), signature.extracting(size..<2 * size))
        return !r.isZero && !s.isZero && r.isBelow(order) && s.isBelow(order)
    }

    /// RFC 8032 section 5.1.7, step 1; S is little-endian.
    private func hasReducedS(_ signature: Span<UInt8>) -> Bool {
        let order = algorithm.order
        for index in 0..<32 where signature[63 - index] != order[index] {
            return signature[63 - index] < order[index]
        }
        return false
    }
}

extension [UInt8] {
    fileprivate mutating func append(bytesOf span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    fileprivate mutating func append(reversed span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0.reversed()) }
    }
}

extension Span<UInt8> {
    fileprivate var isZero: Bool {
        for index in indices where self[index] != 0 { return false }
        return true
    }

    /// Compares big-endian numbers of equal length.
    fileprivate func isBelow(_ limit: [UInt8]) -> Bool {
        for index in indices where self[index] != limit[index] { return self[index] < limit[index] }
        return false
    }
}
