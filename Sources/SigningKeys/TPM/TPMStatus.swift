// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A response code that is not success, of the TPM or of what stands before it (TPM 2.0 Part 2 section 6.6, TSS 2.0 section 3.11).
struct TPMStatus: Error, Hashable {
    /// What is to be done about a code.
    enum Kind: Hashable {
        /// The TPM does not accept a wrapped key: it is another TPM, it was cleared, or the key was changed.
        case integrity
        /// A wrapped key does not have the form of one.
        case damaged
        /// An authorization value is wrong.
        case authorization
        /// Too many wrong authorization values were tried, by whomever.
        case lockedOut
        /// No room for another key or session: those of ours may be flushed.
        case noMemory
        /// Not now.
        case busy
        /// A key or session is not in the TPM any more: it was restarted or cleared.
        case staleHandle
        /// The TPM does not have the curve, hash function or scheme.
        case unsupported
        /// The connection is gone, or never was.
        case unreachable
        /// The TPM or the software before it failed in another way.
        case failure
    }

    /// The storage key under which a key was made is not one of this TPM.
    static let otherParent = TPMStatus(0x09F, "looking for the storage key", as: .integrity)

    let code: UInt32
    /// The command or function that was called.
    let attempt: String
    let kind: Kind

    /// Notes a code, with its meaning where the attempt makes it more than the code says.
    init(_ code: UInt32, _ attempt: String, as kind: Kind? = nil) {
        self.code = code
        self.attempt = attempt
        self.kind = kind ?? Self.kind(of: code)
    }

    /// Whether the TPM or its resource manager said it; another code leaves the connection unusable.
    var isOfTPM: Bool { Self.tpmCode(code) != nil }

    /// What it means that a TPM does not load a key of ours; `nil` where a code means what it always does.
    ///
    /// The codes are those of TPM2_Load in TPM 2.0 Part 3. Nothing else may mean that the key is lost: a TPM that is busy or
    /// full, or has lost the storage key at a restart, may open it the next time; one that does not have the curve or the hash
    /// function of a key that it made has failed.
    static func kind(ofLoading code: UInt32) -> Kind? {
        guard let tpmCode = tpmCode(code) else { return nil }
        // SENSITIVE: about what comes out of the decryption.
        if tpmCode == 0x155 { return .integrity }
        // Of the others, those about a parameter.
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

    /// What people are told when nobody knows better.
    var keyStoreError: KeyStoreError {
        switch kind {
        case .integrity:
            KeyStoreError(
                .keyLost,
                "the TPM does not open the key: it belongs to another TPM, the TPM was cleared, or the key was changed; "
                    + "delete the key and sign in anew (\(description))"
            )
        case .damaged:
            KeyStoreError(
                .malformedKeyFile,
                "the key file was changed: what is in it has not the form of a key of a TPM (\(description))"
            )
        case .authorization:
            KeyStoreError(.wrongPIN, "the TPM refused the authorization; it is not tried again (\(description))")
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
            KeyStoreError(.deviceUnavailable, "the TPM cannot be reached (\(description))")
        case .staleHandle, .failure:
            KeyStoreError(.deviceFailed, "the TPM failed (\(description))")
        }
    }

    private static func kind(of code: UInt32) -> Kind {
        guard let tpmCode = tpmCode(code) else { return layer(code) == 10 ? .unreachable : .failure }
        return kinds[tpmCode] ?? .failure
    }

    private static func layer(_ code: UInt32) -> UInt32 { code >> 16 & 0xFF }

    /// The code of the TPM without the number of the handle, session or parameter that it is about.
    ///
    /// Resource managers (layers 11 and 12) pass codes of the TPM on, and use the same for their own limits.
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
        0x08B: .staleHandle, 0x910: .staleHandle, 0x911: .staleHandle, 0x912: .staleHandle, 0x918: .staleHandle,
        // HASH, SCHEME, CURVE.
        0x083: .unsupported, 0x092: .unsupported, 0x0A6: .unsupported,
    ]
}
#endif
