// SPDX-License-Identifier: Apache-2.0

/// A value that must not appear in logs.
///
/// It prints as a placeholder in every way of printing.
public protocol RedactedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedSecret {
    /// A placeholder instead of the secret.
    public var description: String { "<redacted>" }
    /// A placeholder instead of the secret.
    public var debugDescription: String { "<redacted>" }
    /// A mirror without children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [Mirror.Child]()) }
}
