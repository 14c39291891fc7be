// SPDX-License-Identifier: Apache-2.0

/// A value that must not show up in logs: it prints as a placeholder, however it is printed.
public protocol RedactedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedSecret {
    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A placeholder.
    public var debugDescription: String { "<redacted>" }
    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [Mirror.Child]()) }
}
