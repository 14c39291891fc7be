// SPDX-License-Identifier: Apache-2.0

/// How a server runs, as far as it matters for the rules about its configuration.
public struct Deployment: Sendable, Hashable {
    /// Whether other machines can connect: the server listens on an address that is not a loopback one.
    public var isReachableByOthers: Bool
    /// Whether the proxies that end TLS are named, which by default are those of the same machine.
    public var namesProxies: Bool
    /// Whether used proofs are remembered by the process alone.
    public var remembersProofsInMemory: Bool

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - isReachableByOthers: Whether other machines can connect.
    ///   - namesProxies: Whether the proxies that end TLS are named.
    ///   - remembersProofsInMemory: Whether used proofs are remembered by the process alone.
    public init(isReachableByOthers: Bool, namesProxies: Bool, remembersProofsInMemory: Bool) {
        self.isReachableByOthers = isReachableByOthers
        self.namesProxies = namesProxies
        self.remembersProofsInMemory = remembersProofsInMemory
    }
}
