// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthSystem

/// What a TPM reports about itself (TPM 2.0 Part 2 section 6.13).
///
/// It is a claim: only an attestation would prove it.
struct TPMProperties: Sendable {
    private static let fixed: UInt32 = 0x100
    private static let permanent: UInt32 = 0x200

    let specification: String
    let manufacturer: String
    let vendor: String
    let firmware: String
    let isOwnerAuthorizationSet: Bool

    init(_ context: TPMContext) throws(TPMStatus) {
        let values = try context.properties(from: Self.fixed, count: 13)
        func text(_ numbers: ClosedRange<UInt32>) -> String {
            let octets = numbers.flatMap { number in (values[Self.fixed + number] ?? 0).bigEndianBytes }
            // Anything except printable ASCII, especially trailing zeros, becomes a space; repeated spaces are merged.
            let characters = String(decoding: octets.map { (33...126).contains($0) ? $0 : 32 }, as: UTF8.self)
            return characters.split(separator: " ").joined(separator: " ")
        }
        let revision = values[Self.fixed + 2] ?? 0
        let minor = revision % 100
        specification = "\(text(0...0)) revision \(revision / 100).\(minor < 10 ? "0" : "")\(minor)"
        manufacturer = text(5...5)
        vendor = text(6...9)
        let versions = [values[Self.fixed + 11] ?? 0, values[Self.fixed + 12] ?? 0]
        firmware = versions.flatMap { ["\($0 >> 16)", "\($0 & 0xFFFF)"] }.joined(separator: ".")
        let flags = try context.properties(from: Self.permanent, count: 1)[Self.permanent] ?? 0
        isOwnerAuthorizationSet = flags & 1 != 0
    }

    /// Whether the TPM reports that it is software: libtpms, which swtpm and QEMU use, or a simulator of the reference
    /// code.
    ///
    /// TPMs of cloud providers (manufacturers MSFT, GOOG, AMZN) are software too, but the virtual machine cannot reach
    /// them. They are as good as a chip, as far as the provider can be trusted.
    var isSoftware: Bool {
        vendor.hasPrefix("SW TPM") || vendor.hasPrefix("xCG fTPM") || ["XYZ", "SIMU"].contains(manufacturer)
    }

    var protection: KeyProtection { isSoftware ? .osProtected : .hardwareBound }

    var facts: [KeyFact] {
        [
            KeyFact("device", isSoftware ? "TPM in software" : "TPM"),
            KeyFact("specification", specification),
            KeyFact("manufacturer", manufacturer),
            KeyFact("vendor", vendor),
            KeyFact("firmware", firmware),
        ]
    }
}
#endif
