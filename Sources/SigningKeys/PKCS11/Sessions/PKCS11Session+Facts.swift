// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

extension PKCS11Session {
    /// What module, token and key report about themselves.
    func facts(about key: PKCS11Key, modulePath: String) throws(KeyStoreError) -> [KeyFact] {
        let (library, token) = (try module.info(), try module.info(ofTokenIn: slot))
        let isHardware = try module.info(ofSlot: slot).flags & CKF_HW_SLOT != 0
        return [
            KeyFact("module", modulePath),
            KeyFact("library", "\(PKCS11Text.text(library.libraryDescription)) \(Self.text(library.libraryVersion))"),
            KeyFact("token", PKCS11Text.text(token.label)),
            KeyFact("manufacturer", PKCS11Text.text(token.manufacturerID)),
            KeyFact("model", PKCS11Text.text(token.model)),
            KeyFact("serial number", PKCS11Text.text(token.serialNumber)),
            KeyFact("firmware", Self.text(token.firmwareVersion)),
            KeyFact("hardware", Self.text(isHardware)),
            KeyFact("sensitive", Self.text(key.flags.isSensitive)),
            KeyFact("always sensitive", Self.text(key.flags.wasAlwaysSensitive)),
            KeyFact("extractable", Self.text(key.flags.isExtractable)),
            KeyFact("never extractable", Self.text(key.flags.wasNeverExtractable)),
            KeyFact("made in the token", Self.text(key.flags.wasMadeThere)),
            KeyFact("pin for each signature", Self.text(key.wantsPINEachTime)),
            KeyFact("identifier", hexadecimal: key.id),
        ]
    }

    private static func text(_ version: CK_VERSION) -> String { "\(version.major).\(version.minor)" }

    private static func text(_ flag: Bool?) -> String {
        flag.map { $0 ? "yes" : "no" } ?? "not said"
    }
}
#endif
