// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

extension SingleUseEntry {
    /// The name under which a database stores and counts the entries of one key or client in their pool.
    package var owner: String { pool.prefix + key.owner.description }
}

extension SingleUseEntry.Pool {
    /// The start of an owner's name, which no thumbprint has.
    package var prefix: String {
        switch self {
        case .granted: ""
        case .pushed: "pushed:"
        case .assertions: "assertion:"
        }
    }

    /// The pool in which an owner is counted.
    ///
    /// - Parameter owner: What ``SingleUseEntry/owner`` returned.
    /// - Returns: The pool.
    package static func of(owner: String) -> Self {
        allCases.first { $0 != .granted && owner.hasPrefix($0.prefix) } ?? .granted
    }
}
