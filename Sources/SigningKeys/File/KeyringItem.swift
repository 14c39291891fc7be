// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)

/// A place in the keyring of a user for the credential of a key directory.
///
/// Every call may block.
protocol KeyringItem: Sendable {
    /// The credential; `nil` if a keyring that can be read does not have it.
    func credential() throws(KeyStoreError) -> KeyFileSecret?

    /// Makes and stores a credential; the caller has ensured that there is none and that no other process makes one.
    func makeCredential() throws(KeyStoreError) -> KeyFileSecret

    /// Deletes the credential, if it exists.
    func delete() throws(KeyStoreError)
}
#endif
