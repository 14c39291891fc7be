// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A failure code of the TPM or of the software in front of it (TPM 2.0 Part 2 section 6.6, TSS 2.0 section 3.11).
struct TPMStatus: Error, Hashable {
    /// How to handle a code.
    enum Kind: Hashable {
        /// The TPM does not accept a wrapped key: it is another TPM, it was cleared, or the key was changed.
        case integrity
        /// A wrapped key does not have the form of one.
        case damaged
        /// An authorization value is wrong.
        case authorization
        /// Too many wrong authorization values were tried, possibly by other programs.
        case lockedOut
        /// No memory for another key or session: some of ours can be flushed.
        case noMemory
        /// The TPM is busy.
        case busy
        /// A key or session is no longer in the TPM: it was restarted or cleared.
        case staleReference
        /// The TPM does not have the curve, hash function or scheme.
        case unsupported
        /// The connection is lost, or was never established.
        case unreachable
        /// The TPM or the software in front of it failed in another way.
        case failure
    }

    /// This TPM does not have the storage key under which a key was made.
    static let otherParent = TPMStatus(0x09F, "looking for the storage key", as: .integrity)

    let code: UInt32
    /// The command or function that was called.
    let attempt: String
    let kind: Kind

    /// Makes a status.
    ///
    /// `kind` overrides the code if the attempt gives it a more specific meaning.
    init(_ code: UInt32, _ attempt: String, as kind: Kind? = nil) {
        self.code = code
        self.attempt = attempt
        self.kind = kind ?? Self.kind(of: code)
    }

    /// Whether the TPM or its resource manager returned it; after any other code the connection is unusable.
    var isOfTPM: Bool { Self.tpmCode(code) != nil }

    /// The meaning of a code when a TPM does not load one of our keys; `nil` if it has its usual meaning.
    ///
    /// The codes are those of TPM2_Load in TPM 2.0 Part 3. No other code may mean that the key is lost. A TPM that is
    /// busy or full, or has lost the storage key in a restart, may load it next time. A TPM that does not support the
    /// curve or the hash function of a key that it made has failed.
    static func kind(ofLoading code: UInt32) -> Kind? {
        guard let tpmCode = tpmCode(code) else { return nil }
        // SENSITIVE: concerns the result of the decryption.
        if tpmCode == 0x155 { return .integrity }
        // Of the other codes, those that concern a parameter.
        guard code & 0xC0 == 0xC0 else { return nil }
        switch tpmCode {
        // INTEGRITY, BINDING, VALUE.
        case 0x09F, 0x0A5, 0x084: return .integrity
        // SIZE, INSUFFICIENT, KEY, ECC_POINT.
        case 0x095, 0x09A, 0x09C, 0x0A7: return .damaged
        default: return .failure
        }
    }

    var description: String {
        let digits = String(code, radix: 16)
        return "\(attempt) gave response code 0x\(String(repeating: "0", count: max(0, 8 - digits.count)))\(digits)"
    }

    /// The generic error for a TPM status, if the caller has no better one.
    var keyStoreError: KeyStoreError {
        switch kind {
        case .integrity:
            KeyStoreError(
                .keyLost,
                "the TPM does not open the key: it belongs to another TPM, the TPM was cleared, or the key was changed; "
                    + "delete the key and sign in again (\(description))"
            )
        case .damaged:
            KeyStoreError(
                .malformedKeyFile,
                "the key file was changed: what is in it has not the form of a key of a TPM (\(description))"
            )
        case .authorization:
            KeyStoreError(.wrongPIN, "the TPM refused the authorization value: correct it (\(description))")
        case .lockedOut:
            KeyStoreError(
                .deviceLocked,
                "the TPM is locked after too many wrong authorization values: wait, or have its owner reset the lock-out "
                    + "(\(description))"
            )
        case .noMemory, .busy:
            KeyStoreError(.deviceFailed, "the TPM has been busy for too long (\(description))")
        case .unsupported:
            KeyStoreError(.unsupportedAlgorithm, "this TPM cannot make such a key (\(description))")
        case .unreachable:
            KeyStoreError(
                .deviceUnavailable,
                "the TPM cannot be reached (\(description))",
                forbidsFallback: true
            )
        case .staleReference, .failure:
            KeyStoreError(.deviceFailed, "the TPM failed (\(description))")
        }
    }

    private static func kind(of code: UInt32) -> Kind {
        guard let tpmCode = tpmCode(code) else { return layer(code) == 10 ? .unreachable : .failure }
        return kinds[tpmCode] ?? .failure
    }

    private static func layer(_ code: UInt32) -> UInt32 { code >> 16 & 0xFF }

    /// The TPM's code without the number of the handle, session or parameter.
    ///
    /// Resource managers (layers 11 and 12) pass on codes of the TPM, and use the same ones for their own limits.
    private static func tpmCode(_ code: UInt32) -> UInt32? {
        guard [0, 11, 12].contains(layer(code)) else { return nil }
        return code & 0x80 == 0 ? code & 0xFFF : code & 0xBF
    }

    private static let kinds: [UInt32: Kind] = [
        0x09F: .integrity,
        // AUTH_FAIL and BAD_AUTH.
        0x08E: .authorization, 0x0A2: .authorization,
        0x921: .lockedOut,
        // OBJECT_MEMORY, SESSION_MEMORY, MEMORY, SESSION_HANDLES, OBJECT_HANDLES.
        0x902: .noMemory, 0x903: .noMemory, 0x904: .noMemory, 0x905: .noMemory, 0x906: .noMemory,
        // YIELDED, CANCELED, TESTING, NV_RATE, RETRY.
        0x908: .busy, 0x909: .busy, 0x90A: .busy, 0x920: .busy, 0x922: .busy,
        // HANDLE, REFERENCE_H0 to H2, REFERENCE_S0.
        0x08B: .staleReference, 0x910: .staleReference, 0x911: .staleReference, 0x912: .staleReference,
        0x918: .staleReference,
        // HASH, SCHEME, CURVE.
        0x083: .unsupported, 0x092: .unsupported, 0x0A6: .unsupported,
    ]
}
#endif
