// SPDX-License-Identifier: Apache-2.0

/// The reason why a cryptographic operation failed.
///
/// It names only the operation, and never contains a key or a message.
package struct CryptoError: Error, Sendable, CustomStringConvertible {
    /// What was attempted and why it failed: one sentence without a full stop, never a secret.
    package let operation: String

    /// Creates an error.
    ///
    /// - Parameter operation: What was attempted and why it failed; never a secret.
    package init(_ operation: String) {
        self.operation = operation
    }

    /// What was attempted and why it failed.
    package var description: String { operation }
}
