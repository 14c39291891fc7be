// SPDX-License-Identifier: Apache-2.0

/// A store among those of a ``KeyManager``, by a name that outlives the process.
public struct KeyPlace: Sendable {
    /// The name that is recorded for each key; never give it to another store later.
    public let name: String
    /// The store.
    public let store: any KeyStore

    /// Names a store.
    ///
    /// - Parameters:
    ///   - name: The same in each run of the program: `tpm`, `secure-enclave`, `file`; at most 256 octets.
    ///   - store: The store.
    public init(_ name: String, _ store: any KeyStore) {
        self.name = name
        self.store = store
    }
}
