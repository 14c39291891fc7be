// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthSystem
import Synchronization

/// A key and the nonces that servers gave out for it: one goes through a whole sign-in and every call after it.
///
/// Nonces are kept for each origin and role, the newest one only, in memory only (RFC 9449 sections 8.2 and 9).
public final class DPoPContext: Sendable {
    private struct Server: Hashable {
        let origin: String
        let role: DPoPServerRole
    }

    private struct KnownNonce {
        let value: String
        /// The number of the request whose answer brought the nonce.
        let request: UInt64
        /// The number of the request that used it last.
        var lastUse: UInt64
    }

    private struct Memory {
        var nonces: [Server: KnownNonce] = [:]
        var requests: UInt64 = 0
    }

    /// Beyond these, the server that was not asked for longest is forgotten.
    private static let maximumServers = 64

    private let factory: DPoPProofFactory
    private let memory = Mutex(Memory())
    /// The thumbprint of the key: what tokens are bound to.
    public let thumbprint: JWKThumbprint

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - key: The key that signs.
    ///   - clock: Where `iat` comes from.
    ///   - entropy: Where `jti` comes from.
    public init(
        key: any SigningKey,
        clock: any WallClock = SystemWallClock(),
        entropy: any Entropy = SystemEntropy()
    ) {
        factory = DPoPProofFactory(key: key, clock: clock, entropy: entropy)
        thumbprint = key.publicKey.thumbprint
    }

    /// The key that signs.
    public var key: any SigningKey { factory.key }

    /// Makes the proof of one request, with the newest nonce of the server.
    ///
    /// - Parameters:
    ///   - method: The method of the request, exactly as it is sent.
    ///   - uri: The URI of the request, exactly as it is sent; query and fragment do not matter.
    ///   - accessToken: The access token that the request carries; `nil` at endpoints of an authorization server.
    ///   - role: Which kind of server gets the request.
    ///   - time: What `iat` says, for a server whose clock is known; the time of the context's clock unless given.
    /// - Returns: The proof; each request needs its own, a repeated one too.
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

    /// Takes the nonce out of the answer to a request, whatever its status.
    ///
    /// Answers may overtake one another: the nonce of an older request never replaces that of a newer one.
    ///
    /// - Parameters:
    ///   - fields: The fields of the answer.
    ///   - proof: The proof of the request.
    /// - Returns: Whether the answer brought a nonce that differs from the one in the proof: only then is it worth
    ///   sending the request again.
    @discardableResult
    public func learn(from fields: HTTPFields, for proof: DPoPProofForRequest) -> Bool {
        let values = fields.values(for: "DPoP-Nonce")
        guard values.count == 1, let nonce = values.first, Self.isAcceptable(nonce) else { return false }
        memory.withLock { memory in
            let server = Server(origin: proof.origin, role: proof.role)
            guard proof.request >= memory.nonces[server]?.request ?? 0 else { return }
            if memory.nonces[server] == nil, memory.nonces.count >= Self.maximumServers {
                let oldest = memory.nonces.min { $0.value.lastUse < $1.value.lastUse }
                if let oldest { memory.nonces[oldest.key] = nil }
            }
            let lastUse = max(memory.nonces[server]?.lastUse ?? 0, proof.request)
            memory.nonces[server] = KnownNonce(value: nonce, request: proof.request, lastUse: lastUse)
        }
        return nonce != proof.nonce
    }

    /// Whether a server gave out a nonce that is still known.
    ///
    /// - Parameters:
    ///   - uri: Any URI of the server.
    ///   - role: Which kind of server it is.
    /// - Returns: Whether the next proof for it will carry a nonce.
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

    /// `NQCHAR` of RFC 6749 appendix A, as section 8.1 demands, and not larger than a header should be.
    private static func isAcceptable(_ nonce: String) -> Bool {
        (1...512).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy { byte in
                byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
            }
    }
}
