// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthSystem
import Synchronization

/// A client's key, and the nonces that servers issued for it.
///
/// One context serves a whole sign-in and every API call after it. It keeps the newest nonce for each origin and role,
/// in memory only (RFC 9449 sections 8.2 and 9).
public final class DPoPContext: Sendable {
    private struct Server: Hashable {
        let origin: String
        let role: DPoPServerRole
    }

    private struct KnownNonce {
        let value: String
        /// The number of the request whose response contained the nonce.
        let request: UInt64
        /// The number of the last request that used the nonce.
        var lastUse: UInt64
    }

    private struct Memory {
        var nonces: [Server: KnownNonce] = [:]
        var requests: UInt64 = 0
    }

    /// Limits the number of servers; beyond it, the least recently used one is evicted.
    private static let maximumServers = 64

    private let factory: DPoPProofFactory
    private let memory = Mutex(Memory())
    /// The thumbprint of the key to which tokens are bound.
    public let thumbprint: JWKThumbprint

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - key: The key that signs.
    ///   - clock: The source of `iat`.
    ///   - entropy: The source of randomness for `jti`.
    public init(
        key: any SigningKey,
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) {
        factory = DPoPProofFactory(key: key, clock: clock, entropy: entropy)
        thumbprint = key.publicKey.thumbprint
    }

    /// The key that signs proofs, and that tokens are bound to.
    public var key: any SigningKey { factory.key }

    /// Creates the proof for one request, with the newest nonce of the server.
    ///
    /// - Parameters:
    ///   - method: The method of the request, exactly as it is sent.
    ///   - uri: The URI of the request, exactly as it is sent; query and fragment are ignored.
    ///   - accessToken: The access token that the request carries; `nil` at endpoints of an authorization server.
    ///   - role: The kind of server that receives the request.
    ///   - time: `iat`, for a server whose clock is known; by default the time of the context's clock.
    /// - Returns: The proof. Each request needs a new one, also when it is retried.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/invalidTargetURI``, ``DPoPError/Code/signingFailed``.
    public func proof(
        method: String,
        uri: URI,
        accessToken: String? = nil,
        role: DPoPServerRole,
        at time: Timestamp? = nil
    ) async throws(DPoPError) -> DPoPProofForRequest {
        let targetURI = try TargetURI(uri)
        let server = Server(origin: Self.origin(of: targetURI), role: role)
        let (nonce, request) = memory.withLock { memory in
            memory.requests += 1
            memory.nonces[server]?.lastUse = memory.requests
            return (memory.nonces[server]?.value, memory.requests)
        }
        let value = try await factory.proof(
            method: method,
            targetURI: targetURI,
            accessToken: accessToken,
            nonce: nonce,
            at: time
        )
        return DPoPProofForRequest(value: value, nonce: nonce, origin: server.origin, role: role, request: request)
    }

    /// Stores the nonce of a response, whatever its status.
    ///
    /// Responses may arrive out of order: the nonce of an older request never replaces that of a newer one.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response.
    ///   - proof: The proof sent with the request.
    /// - Returns: Whether the context now has another nonce for the server than the proof had: from this response, or from
    ///   one to another request meanwhile. Only then can a retry succeed.
    @discardableResult
    public func learn(from fields: HTTPFields, for proof: DPoPProofForRequest) -> Bool {
        let values = fields.values(for: "DPoP-Nonce")
        let received = values.count == 1 ? values.first.flatMap { Self.isAcceptable($0) ? $0 : nil } : nil
        return memory.withLock { memory in
            let server = Server(origin: proof.origin, role: proof.role)
            if let received { Self.store(received, of: server, for: proof, &memory) }
            guard let newest = memory.nonces[server]?.value else { return false }
            return newest != proof.nonce
        }
    }

    private static func store(
        _ nonce: String,
        of server: Server,
        for proof: DPoPProofForRequest,
        _ memory: inout Memory
    ) {
        guard proof.request >= memory.nonces[server]?.request ?? 0 else { return }
        if memory.nonces[server] == nil, memory.nonces.count >= maximumServers {
            let oldest = memory.nonces.min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { memory.nonces[oldest.key] = nil }
        }
        let lastUse = max(memory.nonces[server]?.lastUse ?? 0, proof.request)
        memory.nonces[server] = KnownNonce(value: nonce, request: proof.request, lastUse: lastUse)
    }

    /// Whether the context holds a nonce of a server.
    ///
    /// - Parameters:
    ///   - uri: Any URI of the server.
    ///   - role: The kind of server.
    /// - Returns: Whether the next proof for the server will have a nonce.
    public func knowsNonce(for uri: URI, role: DPoPServerRole) -> Bool {
        guard let targetURI = try? TargetURI(uri) else { return false }
        let server = Server(origin: Self.origin(of: targetURI), role: role)
        return memory.withLock { $0.nonces[server] != nil }
    }

    private static func origin(of uri: TargetURI) -> String {
        // Scheme, two slashes, authority: up to the third slash.
        let parts = uri.description.utf8.split(
            separator: UInt8(ascii: "/"),
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        return parts.prefix(3).compactMap { String($0) }.joined(separator: "/")
    }

    /// `NQCHAR` of RFC 6749 appendix A, as section 8.1 requires, and short enough for a header field.
    private static func isAcceptable(_ nonce: String) -> Bool {
        (1...512).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy { byte in
                byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
            }
    }
}
