// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A token, and optionally a key in it, as text:
/// `pkcs11:token=work;object=dpop?module-path=/usr/lib/softhsm/libsofthsm2.so`.
///
/// Parsing is strict: an unknown attribute is rejected and never ignored, because it might select another token. A PIN
/// in the URI (`pin-value`) is rejected, because URIs are displayed, logged and stored.
///
/// ## Specification
///
/// [RFC 7512 §2](https://www.rfc-editor.org/rfc/rfc7512#section-2)
public struct PKCS11URI: Sendable, Hashable {
    /// The maximum size of a URI in bytes.
    public static let maximumCount = 4096

    /// The token: `token`, `serial`, `manufacturer`, `model` and `slot-id`.
    public let token: PKCS11TokenSelection
    /// `object`: the label of the key.
    public let object: String?
    /// `id`: the identifier of the key.
    public let id: [UInt8]?
    /// `module-path`: the absolute path of the module.
    public let modulePath: String?
    /// `pin-source`: the absolute path of a file with the PIN.
    public let pinFile: String?

    /// Reads a URI.
    ///
    /// - Parameter text: At most 4096 bytes. `type`, if present, is `private`. `pin-source` is a URI of the scheme
    ///   `file`.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidURI`` for a URI of another scheme or form, repeated or
    ///   unknown attributes, and a PIN in the URI.
    public init(_ text: String) throws(KeyStoreError) {
        var attributes = try PKCS11URIAttributes(text)
        var token = PKCS11TokenSelection()
        token.label = try attributes.text("token", maximumCount: 32)
        token.serial = try attributes.text("serial", maximumCount: 16)
        token.manufacturer = try attributes.text("manufacturer", maximumCount: 32)
        token.model = try attributes.text("model", maximumCount: 16)
        token.slot = try attributes.number("slot-id")
        self.token = token
        object = try attributes.text("object", maximumCount: 1024)
        id = try attributes.octets("id", maximumCount: 1024)
        guard try [nil, "private"].contains(attributes.text("type", maximumCount: 16)) else {
            throw PKCS11URIAttributes.malformed("its type must be 'private', since only private keys sign")
        }
        modulePath = try attributes.path("?module-path")
        pinFile = try attributes.fileURI("?pin-source")
        guard attributes.take("?pin-value") == nil else {
            throw PKCS11URIAttributes.malformed(
                "it contains the PIN, which others see where URIs are shown: use pin-source=file:, and change the PIN"
            )
        }
        try attributes.requireNoMore()
    }
}
#endif
