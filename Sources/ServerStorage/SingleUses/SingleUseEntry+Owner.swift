// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE

extension SingleUseEntry {
    /// The name under which a database stores and counts the entries of one key or client in their pool.
    package var owner: String { pool.prefix + key.owner.description }
}

extension SingleUseEntry.Pool {
    /// The start of an owner's name; no thumbprint starts with it.
    ///
    /// The pools that a new replay memory keeps start with `assertion:`, and the drivers' SQL relies on that.
    package var prefix: String {
        switch self {
        case .granted: ""
        case .pushed: "pushed:"
        case .assertions: "assertion:"
        case .assertionsOfUnregisteredClients: "assertion:unregistered:"
        case .loginResponses: "assertion:login:"
        }
    }

    /// The pool in which an owner is counted.
    ///
    /// - Parameter owner: What ``SingleUseEntry/owner`` returned.
    /// - Returns: The pool.
    package static func of(owner: String) -> Self {
        // The longest prefix that fits, since the prefix of one pool can begin with that of another.
        allCases.filter { owner.hasPrefix($0.prefix) }
            .max { $0.prefix.utf8.count < $1.prefix.utf8.count } ?? .granted
    }
}
