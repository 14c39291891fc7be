// SPDX-License-Identifier: Apache-2.0

/// A TPM's statement about a key, a `TPMS_ATTEST` (TPM 2.0 Part 2 section 10.12), as far as it is checked.
struct TPMStatement: Equatable {
    /// `TPM_GENERATED_VALUE`: only a TPM begins what a restricted key signs so (section 6.2).
    private static let generatedValue: UInt32 = 0xFF54_4347
    /// `TPM_ST_ATTEST_CERTIFY` (section 6.9).
    private static let certification: UInt16 = 0x8017
    /// `TPMS_CLOCK_INFO` and the version of the firmware (sections 10.11.1 and 10.12.12).
    private static let clockAndFirmwareCount = 25

    let challenge: [UInt8]
    /// The name of the key.
    let name: [UInt8]

    init(challenge: [UInt8], name: [UInt8]) {
        (self.challenge, self.name) = (challenge, name)
    }

    /// Reads a statement; `nil` for another type or format.
    init?(_ statement: [UInt8]) {
        let head = TPMBytes.of(Self.generatedValue) + TPMBytes.of(Self.certification)
        guard statement.starts(with: head) else { return nil }
        var rest = statement.dropFirst(head.count)
        // The qualified name of the signer, then the caller's challenge.
        guard TPMBytes.takeSized(&rest) != nil, let challenge = TPMBytes.takeSized(&rest),
            rest.count >= Self.clockAndFirmwareCount
        else { return nil }
        rest = rest.dropFirst(Self.clockAndFirmwareCount)
        // The name of the key, then its qualified name.
        guard let name = TPMBytes.takeSized(&rest), TPMBytes.takeSized(&rest) != nil, rest.isEmpty else { return nil }
        self.init(challenge: Array(challenge), name: Array(name))
    }
}
