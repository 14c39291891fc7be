// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

/// Which token is meant, of those that a module knows.
///
/// What is not given may be anything; with nothing given there must be one token only.
public struct PKCS11TokenSelection: Sendable, Hashable, CustomStringConvertible {
    /// The label of the token, without the spaces at its end; at most 32 octets.
    public var label: String?
    /// Its serial number; at most 16 octets.
    public var serial: String?
    /// Who made it; at most 32 octets.
    public var manufacturer: String?
    /// Its model; at most 16 octets.
    public var model: String?
    /// The number of the slot that it is in, which may be another one after it was taken out.
    public var slot: UInt?

    /// Selects a token.
    ///
    /// - Parameters:
    ///   - label: Its label.
    ///   - serial: Its serial number.
    ///   - manufacturer: Who made it.
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

    /// What was given, for people.
    public var description: String {
        let parts = [
            ("label", label), ("serial number", serial), ("manufacturer", manufacturer), ("model", model),
            ("slot", slot.map { String($0) }),
        ]
        let given = parts.compactMap { name, value in value.map { "\(name) '\($0)'" } }
        return given.isEmpty ? "any label" : given.joined(separator: ", ")
    }

    /// Whether a token is meant; one that was never initialized is not.
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
