// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import JOSE
import ServerStorage

/// How many entries the pools of single uses hold; see ``SingleUseEntry/Pool``.
struct SingleUseCapacity: Sendable {
    /// The limit of proofs that any client can send.
    static let pushed = 200_000

    /// The limit of proofs that came with a code or token, and that of client assertions.
    var granted: Int
    /// The limit for one key or client.
    var perOwner: Int

    func all(_ pool: SingleUseEntry.Pool) -> Int {
        pool == .pushed ? Self.pushed : granted
    }
}

extension SingleUseEntry {
    /// The name under which entries of one key or client are counted in their pool.
    var owner: String { pool.prefix + key.owner.description }
}

extension SingleUseEntry.Pool {
    /// The start of an owner's name, which no thumbprint has.
    var prefix: String {
        switch self {
        case .granted: ""
        case .pushed: "pushed:"
        case .assertions: "assertion:"
        }
    }
}
#endif
