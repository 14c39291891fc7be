// SPDX-License-Identifier: Apache-2.0

/// The reason a key could not be made, loaded, stored or deleted.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither ever holds a token, a proof or a key.
public struct KeyStoreError: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// A stored key exists but can no longer be opened: sign in again, with a new key.
        public static let keyLost = Self("keyLost")
        /// The key exists but is locked at the moment: try again later, and never make a new one.
        public static let deviceLocked = Self("deviceLocked")
        /// The passphrase or credential does not open the key file.
        public static let wrongPassphrase = Self("wrongPassphrase")
        /// The storage for keys cannot be read or written.
        public static let storageFailed = Self("storageFailed")
        /// A passphrase is empty, or a credential is not 32 bytes long.
        public static let invalidSecret = Self("invalidSecret")
        /// Other users can read or change the key file or its directory, or it belongs to another user.
        public static let insecurePermissions = Self("insecurePermissions")
        /// The key file is not of a known format: restore it, or delete the key and sign in again.
        public static let malformedKeyFile = Self("malformedKeyFile")
        /// The alias is not 1 to 128 characters of letters, digits, dot, hyphen and underscore.
        public static let invalidAlias = Self("invalidAlias")
        /// The URI of a token or of a key in it is invalid.
        public static let invalidURI = Self("invalidURI")
        /// The store cannot make keys for this algorithm.
        public static let unsupportedAlgorithm = Self("unsupportedAlgorithm")

        /// The device does not exist or is not connected, or its library cannot be loaded.
        ///
        /// Nothing is known about a key that it holds; the key may be available when the device is.
        /// ``KeyStoreError/forbidsFallback`` tells whether another store may make the key instead.
        public static let deviceUnavailable = Self("deviceUnavailable")
        /// The device failed, or its response is invalid.
        public static let deviceFailed = Self("deviceFailed")
        /// The PIN of the device, or the authorization value of a TPM's owner, is wrong.
        ///
        /// A store does not send the same wrong PIN again. A wrong authorization value is sent again with the next call.
        public static let wrongPIN = Self("wrongPIN")
        /// The device no longer accepts a PIN: its administrator has to set a new one.
        public static let pinLocked = Self("pinLocked")
        /// The user did not approve the use of the key.
        public static let userCanceled = Self("userCanceled")
        /// The program's signature lacks an entitlement that the system requires for this store.
        public static let missingEntitlement = Self("missingEntitlement")
        /// A hardware key is required, and none can be made here.
        public static let hardwareRequired = Self("hardwareRequired")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for humans: one sentence without a final full stop.
    public let reason: String
    /// The error of a lower layer or of the system that caused this one.
    public let underlying: (any Error)?
    /// Whether no other store may make the key instead, although the code alone would allow it.
    ///
    /// Set with ``Code/deviceUnavailable`` if the device is there, but busy or broken, if several devices fit, and if
    /// the store has a key of the name that it cannot open without the device. A ``KeyManager`` then throws the error.
    public let forbidsFallback: Bool

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for humans; never a secret.
    ///   - underlying: The error that caused this one.
    ///   - forbidsFallback: Whether no other store may make the key instead.
    public init(
        _ code: Code,
        _ reason: String,
        underlying: (any Error)? = nil,
        forbidsFallback: Bool = false
    ) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
        self.forbidsFallback = forbidsFallback
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }

    /// Everything but the error underneath, which may be of a store or a device, and hold anything.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code.rawValue, "reason": reason, "forbidsFallback": forbidsFallback])
    }
}
