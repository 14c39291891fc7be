// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// Something that happened to a key, for an app that tells its user or its log.
///
/// New kinds may be added in a minor version.
public struct KeyEvent: Sendable, CustomStringConvertible {
    /// What happened.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the kind, in lower camel case.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// A key was made; ``KeyEvent/protection`` says how hard it is to copy.
        public static let made = Self("made")
        /// A place was passed over when a key was to be made, for the reason of ``KeyEvent/error``.
        public static let fellBack = Self("fellBack")
        /// No key was made, for the reason of ``KeyEvent/error``.
        public static let creationFailed = Self("creationFailed")
        /// A stored key is gone or does not open any more: what is bound to it is of no use.
        public static let lost = Self("lost")
        /// A stored key is locked for now.
        public static let locked = Self("locked")

        /// The stable name of the kind.
        public var description: String { rawValue }
    }

    /// What happened.
    public let kind: Kind
    /// The name of the key.
    public let alias: KeyAlias
    /// The name of the ``KeyPlace``; `nil` when it is about none of them.
    public let place: String?
    /// How hard the key is to copy; `nil` when there is no key.
    public let protection: KeyProtection?
    /// Why; `nil` when nothing went wrong.
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

    /// What a store reports when it has made a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - alias: Its name.
    /// - Returns: The event; it names no place, since a store does not know what a ``KeyManager`` calls it.
    public static func made(_ key: any SigningKey, _ alias: KeyAlias) -> KeyEvent {
        KeyEvent(.made, alias, protection: key.protection)
    }

    /// Kind, place and reason, on one line.
    public var description: String {
        let parts = [kind.rawValue, place, protection?.rawValue, error?.description]
        return parts.compactMap { $0 }.joined(separator: ": ")
    }
}
