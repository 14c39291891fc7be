// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
import StrictJSON
import Synchronization

/// Issues and validates nonces, without storing any (RFC 9449 sections 8 and 9).
///
/// A nonce is `version ‖ secret number ‖ minute ‖ HMAC-SHA256(key, minute)` cut to 16 bytes, in base64url, and the key is
/// `HMAC-SHA256(secret, role ‖ replay memory)`. All nodes that share secrets and memory agree. The two roles use
/// different keys, so a nonce of one is never valid for the other. Nor is a nonce that was made for another replay
/// memory: that memory may have recorded the proof, and this one would not know.
public final class DPoPNonceIssuer: Sendable {
    /// The result of validating a nonce.
    enum Judgement {
        /// This issuer made the nonce for this replay memory, and it has not expired.
        case valid(age: Duration)
        /// The nonce has expired, or has another form.
        case invalid
        /// The nonce has the right form and time, and a code that this issuer would not give it: it is forged, or was made
        /// with a secret or for a replay memory that this issuer does not know.
        case unknown
    }

    /// How long a nonce is accepted.
    public static let lifetime: Duration = .seconds(300)

    private let role: DPoPServerRole
    private let state: Mutex<State>
    private let look = DPoPNonceLook()

    private struct State {
        /// The current secret first, then the previous one.
        let secrets: [DPoPNonceSecret]
        let epoch: ReplayEpoch?
        var keys: [DPoPNonceKey]

        init(_ secrets: [DPoPNonceSecret], _ epoch: ReplayEpoch?, _ role: DPoPServerRole) {
            self.secrets = secrets.filter(\.isStrong)
            self.epoch = epoch
            keys = self.secrets.map { DPoPNonceKey($0, role: role, epoch: epoch) }
        }
    }

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - role: The kind of server that issues the nonces.
    ///   - secrets: The current secret first, then the previous one. A secret that is not 32 bytes long is ignored,
    ///     since an attacker who can guess a secret can forge nonces. Without any secret, every nonce is rejected.
    public convenience init(role: DPoPServerRole, secrets: [DPoPNonceSecret]) {
        self.init(role: role, secrets: DPoPNonceSecrets(secrets))
    }

    /// Creates an issuer of nonces for one replay memory.
    ///
    /// - Parameters:
    ///   - role: The kind of server that issues the nonces.
    ///   - secrets: The secrets and the replay memory; see ``init(role:secrets:)-(_,[DPoPNonceSecret])``.
    public init(role: DPoPServerRole, secrets: DPoPNonceSecrets) {
        self.role = role
        state = Mutex(State(secrets.secrets, secrets.epoch, role))
    }

    /// The replay memory that nonces are made for.
    public var epoch: ReplayEpoch? { state.withLock(\.epoch) }

    /// Replaces the secrets with those of an external store, which several processes share.
    ///
    /// - Parameter secrets: The secrets and the replay memory; see ``init(role:secrets:)-(_,[DPoPNonceSecret])``.
    public func use(_ secrets: DPoPNonceSecrets) {
        let new = State(secrets.secrets, secrets.epoch, role)
        state.withLock { $0 = new }
    }

    /// Makes nonces for another replay memory from now on, with the same secrets.
    ///
    /// - Parameter epoch: The memory. If it is the one in use, nothing changes.
    public func start(_ epoch: ReplayEpoch) {
        state.withLock { state in
            if state.epoch != epoch { state = State(state.secrets, epoch, role) }
        }
    }

    /// Sets how to look at an external store again, when a proof has a nonce of the right form that this issuer does not know.
    ///
    /// Another process may have started a new replay memory or a new secret a moment ago. The proof waits for the look, and is
    /// checked once more. Anyone can send such a nonce, so there are four looks a second at most.
    ///
    /// - Parameter look: Reads the store and calls ``use(_:)`` or ``start(_:)``; does nothing if the store does not answer.
    public func onUnknownNonce(_ look: @escaping @Sendable () async -> Void) {
        self.look.use(look)
    }

    /// Looks at the store again.
    ///
    /// - Returns: Whether there was a look, so that the nonce is worth another check.
    func lookAgain(at now: Timestamp) async -> Bool {
        await look.run(at: now)
    }

    /// Starts to use a new secret and keeps the previous one, so that issued nonces stay valid.
    ///
    /// - Parameter secret: The new secret of 32 bytes, whose number differs from that of the current one. Any other
    ///   secret is ignored, as is the current one.
    public func rotate(to secret: DPoPNonceSecret) {
        guard secret.isStrong else { return }
        state.withLock { state in
            let isInUse = state.secrets.first.map { ConstantTime.areEqual($0.bytes, secret.bytes) } ?? false
            guard !isInUse else { return }
            state = State([secret] + state.secrets.prefix(1), state.epoch, role)
        }
    }

    /// Creates a nonce.
    ///
    /// - Parameter now: The current time.
    /// - Returns: 30 characters of base64url, which are NQCHARs (RFC 9449 section 8.1); empty without a secret.
    public func nonce(at now: Timestamp) -> String {
        let minute = UInt32(clamping: now.secondsSince1970 / 60)
        return state.withLock { $0.keys.isEmpty ? "" : $0.keys[0].nonce(of: minute) }
    }

    /// Validates a nonce, and compares the code in constant time.
    func judge(_ nonce: Span<UInt8>, at now: Timestamp) -> Judgement {
        guard nonce.count == 30 else { return .invalid }
        return Base64URL.withDecoded(nonce) { judge(decoded: $0, at: now) } ?? .invalid
    }

    private func judge(decoded nonce: Span<UInt8>, at now: Timestamp) -> Judgement {
        guard nonce[0] == DPoPNonceKey.version else { return .invalid }
        var minute: UInt32 = 0
        for index in 2..<DPoPNonceKey.prefixCount { minute = minute << 8 | UInt32(nonce[index]) }
        let age = now - Timestamp(secondsSince1970: Int64(minute) * 60)
        guard age >= .seconds(-60), age <= Self.lifetime else { return .invalid }
        guard let code = code(of: minute, bySecret: nonce[1]) else { return .unknown }
        let isSame = code.withBytes {
            ConstantTime.areEqual(
                nonce.extracting(DPoPNonceKey.prefixCount...),
                $0.extracting(..<DPoPNonceKey.codeCount)
            )
        }
        return isSame ? .valid(age: age) : .unknown
    }

    private func code(of minute: UInt32, bySecret number: UInt8) -> SHA256Digest? {
        state.withLock { state in
            state.keys.firstIndex { $0.number == number }.map { state.keys[$0].code(of: minute) }
        }
    }
}
