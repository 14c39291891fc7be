// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2

extension TPMSession {
    /// Names of the attributes of a key (TPM 2.0 Part 2 section 8.3).
    private static var attributeNames: [(TPMA_OBJECT, String)] {
        [
            (TPMA_OBJECT_FIXEDTPM, "fixedTPM"), (TPMA_OBJECT_STCLEAR, "stClear"),
            (TPMA_OBJECT_FIXEDPARENT, "fixedParent"), (TPMA_OBJECT_SENSITIVEDATAORIGIN, "sensitiveDataOrigin"),
            (TPMA_OBJECT_USERWITHAUTH, "userWithAuth"), (TPMA_OBJECT_ADMINWITHPOLICY, "adminWithPolicy"),
            (TPMA_OBJECT_NODA, "noDA"), (TPMA_OBJECT_ENCRYPTEDDUPLICATION, "encryptedDuplication"),
            (TPMA_OBJECT_RESTRICTED, "restricted"), (TPMA_OBJECT_DECRYPT, "decrypt"),
            (TPMA_OBJECT_SIGN_ENCRYPT, "sign"),
        ]
    }

    /// What the TPM reports about itself and a key that it holds.
    mutating func facts(about blob: TPMBlob) throws(TPMStatus) -> [KeyFact] {
        let attributes = try attributes(of: blob)
        let names = Self.attributeNames.filter { attributes & $0.0 != 0 }.map(\.1)
        return properties.facts + [
            KeyFact("attributes", names.joined(separator: " ")),
            KeyFact("storage key", try isKept(blob) ? "kept in the TPM at 0x81000001" : "made again when it is needed"),
            KeyFact("storage key name", hexadecimal: blob.parentName),
        ]
    }
}
#endif
