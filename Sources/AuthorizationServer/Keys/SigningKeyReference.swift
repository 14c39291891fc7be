// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
package import SigningKeys
import StrictJSON

/// The stored value of a key in a device: its name there, unencrypted, as a JSON object of at most 256 bytes.
package struct SigningKeyReference: Sendable, Hashable {
    private static let member = "signing_key_alias"
    private static let prefix = "keybound-signs-"
    private static let maximumCount = 256

    /// The name of the key in the device.
    package let alias: KeyAlias

    /// Makes a unique name for a new key.
    init(_ algorithm: SignatureAlgorithm, entropy: any Entropy) throws(KeyStoreError) {
        let name = algorithm.rawValue.lowercased() + "-" + Base64URL.encode(entropy.bytes(16))
        alias = try KeyAlias(Self.prefix + name)
    }

    /// Parses the stored value of a key; `nil` for a key that is stored whole, or was deleted.
    ///
    /// Only names that were made for this purpose are accepted: an attacker who can write to the database must not make
    /// a device sign with its other keys.
    package init?(_ sealed: WrappedKey) {
        guard (1...Self.maximumCount).contains(sealed.bytes.count),
            let object = try? JSONValue(parsing: sealed.bytes).objectValue,
            object.members.count == 1, let text = object[Self.member]?.stringValue,
            text.hasPrefix(Self.prefix), let alias = try? KeyAlias(text)
        else { return nil }
        self.alias = alias
    }

    /// The value to store.
    var sealed: WrappedKey {
        WrappedKey(JSONValue.object([Self.member: .string(alias.text)]).encoded())
    }
}
