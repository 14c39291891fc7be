// SPDX-License-Identifier: Apache-2.0

/// The reason a cryptographic operation did not give a result.
///
/// It names the operation and nothing else: neither a key nor a message is ever part of it.
package struct CryptoError: Error, Sendable, CustomStringConvertible {
    /// What was attempted and why it failed: one sentence without a final full stop, never a secret.
    package let operation: String

    /// Makes an error.
    ///
    /// - Parameter operation: What was attempted and why it failed; never a secret.
    package init(_ operation: String) {
        self.operation = operation
    }

    /// What was attempted.
    package var description: String { operation }
}
