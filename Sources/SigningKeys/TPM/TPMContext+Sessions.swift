// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
import OAuthCrypto

/// Sessions of a TPM, and the values that authorize commands in them.
extension TPMContext {
    /// Removes a key or session from the TPM.
    func flush(_ handle: Handle) throws(TPMStatus) {
        try Self.check(unsafe library.flush(esys, handle), "TPM2_FlushContext")
    }

    /// Starts a session that encrypts parameters and authorization values against an eavesdropper between us and the
    /// TPM.
    func startSession(saltedWith key: Handle) throws(TPMStatus) -> Handle {
        var (symmetric, handle) = (TPMT_SYM_DEF(), Self.none)
        symmetric.algorithm = TPM2_ALG_AES
        unsafe symmetric.keyBits.aes = 128
        unsafe symmetric.mode.aes = TPM2_ALG_CFB
        try Self.check(
            unsafe library.startSession(
                esys,
                key,
                Self.none,
                Self.none,
                Self.none,
                Self.none,
                nil,
                TPM2_SE_HMAC,
                &symmetric,
                TPM2_ALG_SHA256,
                &handle
            ),
            "TPM2_StartAuthSession"
        )
        let flags = TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT
        try Self.check(unsafe library.setAttributes(esys, handle, flags, 0xFF), "the attributes of a session")
        return handle
    }

    /// Sets or clears the authorization value of a hierarchy in ESYS.
    func setAuthorization(_ value: [UInt8], of hierarchy: Handle) throws(TPMStatus) {
        var authorization = TPM2B_AUTH()
        defer { unsafe withUnsafeMutableBytes(of: &authorization) { unsafe SecretMemory.wipe($0) } }
        try Self.fill(&authorization, with: value)
        try Self.check(unsafe library.setAuthorization(esys, hierarchy, &authorization), "an authorization value")
    }
}
#endif
