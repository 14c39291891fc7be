// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

/// Selects one of the tokens that a module has.
///
/// An attribute that is `nil` matches any token; without any attribute there must be only one token.
public struct PKCS11TokenSelection: Sendable, Hashable, CustomStringConvertible {
    /// The label of the token, without trailing spaces; at most 32 bytes.
    public var label: String?
    /// Its serial number; at most 16 bytes.
    public var serial: String?
    /// Its manufacturer; at most 32 bytes.
    public var manufacturer: String?
    /// Its model; at most 16 bytes.
    public var model: String?
    /// The number of its slot, which may change after the token was removed.
    public var slot: UInt?

    /// Selects a token.
    ///
    /// - Parameters:
    ///   - label: Its label.
    ///   - serial: Its serial number.
    ///   - manufacturer: Its manufacturer.
    ///   - model: Its model.
    ///   - slot: The number of its slot.
    public init(
        label: String? = nil,
        serial: String? = nil,
        manufacturer: String? = nil,
        model: String? = nil,
        slot: UInt? = nil
    ) {
        (self.label, self.serial, self.manufacturer, self.model, self.slot) = (label, serial, manufacturer, model, slot)
    }

    /// The given attributes, for display.
    public var description: String {
        let parts = [
            ("label", label), ("serial number", serial), ("manufacturer", manufacturer), ("model", model),
            ("slot", slot.map { String($0) }),
        ]
        let given = parts.compactMap { name, value in value.map { "\(name) '\($0)'" } }
        return given.isEmpty ? "any label" : given.joined(separator: ", ")
    }

    /// Whether a token matches; an uninitialized one does not.
    func matches(_ token: CK_TOKEN_INFO, in slot: CK_SLOT_ID) -> Bool {
        guard token.flags & CKF_TOKEN_INITIALIZED != 0, self.slot == nil || self.slot == slot else { return false }
        return Self.fits(label, token.label) && Self.fits(serial, token.serialNumber)
            && Self.fits(manufacturer, token.manufacturerID) && Self.fits(model, token.model)
    }

    private static func fits<Characters>(_ wanted: String?, _ characters: Characters) -> Bool {
        wanted.map { Array($0.utf8) == PKCS11Text.octets(characters) } ?? true
    }
}
#endif
