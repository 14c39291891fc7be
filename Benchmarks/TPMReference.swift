// SPDX-License-Identifier: Apache-2.0

import CTSS2
import OAuthSystem

/// The bare call that signs with a TPM key: one connection, one loaded key, one digest.
///
/// Sendable although it holds addresses: the rows call it from one thread at a time.
@safe final class TPMReference: @unchecked Sendable {
    private let sign: Esys_Sign_Function
    private let free: Esys_Free_Function
    private let finalize: Esys_Finalize_Function
    private let close: Tss2_TctiLdr_Finalize_Function
    private var tcti: OpaquePointer?
    private var esys: OpaquePointer?
    private var key: ESYS_TR = ESYS_TR_NONE

    /// Makes a primary signing key, which exists as long as the TPM runs.
    init(_ configuration: String) throws {
        let loader = try SharedLibrary("libtss2-tctildr.so.0")
        let system = try SharedLibrary("libtss2-esys.so.0")
        unsafe sign = try unsafe system.function("Esys_Sign")
        unsafe free = try unsafe system.function("Esys_Free")
        unsafe finalize = try unsafe system.function("Esys_Finalize")
        unsafe close = try unsafe loader.function("Tss2_TctiLdr_Finalize")
        let open: Tss2_TctiLdr_Initialize_Function = try unsafe loader.function("Tss2_TctiLdr_Initialize")
        let initialize: Esys_Initialize_Function = try unsafe system.function("Esys_Initialize")
        let create: Esys_CreatePrimary_Function = try unsafe system.function("Esys_CreatePrimary")
        var (sensitive, template) = (TPM2B_SENSITIVE_CREATE(), Self.template)
        var (outside, registers) = (TPM2B_DATA(), TPML_PCR_SELECTION())
        guard unsafe open(configuration, &tcti) == 0, unsafe initialize(&esys, tcti, nil) == 0,
            unsafe create(
                esys,
                ESYS_TR_RH_OWNER,
                ESYS_TR_PASSWORD,
                ESYS_TR_NONE,
                ESYS_TR_NONE,
                &sensitive,
                &template,
                &outside,
                &registers,
                &key,
                nil,
                nil,
                nil,
                nil
            ) == 0
        else { throw BenchmarkError("the TPM makes no key") }
    }

    deinit {
        if unsafe esys != nil { unsafe finalize(&esys) }
        if unsafe tcti != nil { unsafe close(&tcti) }
    }

    func signOnce() {
        var (digest, scheme, ticket) = (TPM2B_DIGEST(), TPMT_SIG_SCHEME(), TPMT_TK_HASHCHECK())
        digest.size = 32
        scheme.scheme = TPM2_ALG_NULL
        (ticket.tag, ticket.hierarchy) = (TPM2_ST_HASHCHECK, TPM2_RH_NULL)
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        let status = unsafe sign(
            esys,
            key,
            ESYS_TR_PASSWORD,
            ESYS_TR_NONE,
            ESYS_TR_NONE,
            &digest,
            &scheme,
            &ticket,
            &signature
        )
        precondition(status == 0)
        unsafe free(signature)
    }

    private static var template: TPM2B_PUBLIC {
        var template = TPM2B_PUBLIC()
        template.publicArea.type = TPM2_ALG_ECC
        template.publicArea.nameAlg = TPM2_ALG_SHA256
        template.publicArea.objectAttributes =
            TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH
            | TPMA_OBJECT_NODA | TPMA_OBJECT_SIGN_ENCRYPT
        var details = TPMS_ECC_PARMS()
        details.curveID = TPM2_ECC_NIST_P256
        details.symmetric.algorithm = TPM2_ALG_NULL
        details.kdf.scheme = TPM2_ALG_NULL
        details.scheme.scheme = TPM2_ALG_ECDSA
        unsafe details.scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
        unsafe template.publicArea.parameters.eccDetail = details
        return template
    }
}
