// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// An event of a key, for an app that shows or logs it.
///
/// New kinds may be added in a minor version.
public struct KeyEvent: Sendable, CustomStringConvertible {
    /// What happened to a key.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the kind, in lower camel case.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// A key was made; ``KeyEvent/protection`` says how it is protected.
        public static let made = Self("made")
        /// A location was skipped for a new key; ``KeyEvent/error`` has the reason.
        public static let fellBack = Self("fellBack")
        /// No key was made; ``KeyEvent/error`` has the reason.
        public static let creationFailed = Self("creationFailed")
        /// A stored key is gone or can no longer be opened: what is bound to it is useless.
        public static let lost = Self("lost")
        /// A stored key is locked at the moment.
        public static let locked = Self("locked")

        /// The stable name of the kind.
        public var description: String { rawValue }
    }

    /// What happened.
    public let kind: Kind
    /// The name of the key.
    public let alias: KeyAlias
    /// The name of the ``KeyLocation``; `nil` if the event concerns none.
    public let place: String?
    /// How the key is protected; `nil` if there is no key.
    public let protection: KeyProtection?
    /// The reason; `nil` if nothing went wrong.
    public let error: KeyStoreError?

    init(
        _ kind: Kind,
        _ alias: KeyAlias,
        in place: String? = nil,
        protection: KeyProtection? = nil,
        error: KeyStoreError? = nil
    ) {
        self.kind = kind
        self.alias = alias
        self.place = place
        self.protection = protection
        self.error = error
    }

    /// The event that a store reports after it made a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its name.
    /// - Returns: The event; it names no location, because a store does not know its name in a ``KeyManager``.
    public static func made(_ key: any SigningKey, _ alias: KeyAlias) -> KeyEvent {
        KeyEvent(.made, alias, protection: key.protection)
    }

    /// Kind, place and reason, on one line.
    public var description: String {
        let parts = [kind.rawValue, place, protection?.rawValue, error?.description]
        return parts.compactMap { $0 }.joined(separator: ": ")
    }
}
