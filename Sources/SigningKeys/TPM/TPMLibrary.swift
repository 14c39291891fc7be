// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
import OAuthSystem

/// The functions of the TPM software stack (TCG ESAPI and TCTI loader), loaded on first use.
@safe struct TPMLibrary: Sendable {
    let openTCTI: Tss2_TctiLdr_Initialize_Function
    let closeTCTI: Tss2_TctiLdr_Finalize_Function
    let initialize: Esys_Initialize_Function
    let finalize: Esys_Finalize_Function
    let free: Esys_Free_Function
    let getCapability: Esys_GetCapability_Function
    let createPrimary: Esys_CreatePrimary_Function
    let create: Esys_Create_Function
    let load: Esys_Load_Function
    let startSigning: Esys_Sign_Async_Function
    let finishSigning: Esys_Sign_Finish_Function
    let setTimeout: Esys_SetTimeout_Function
    let certify: Esys_Certify_Function
    let readPublic: Esys_ReadPublic_Function
    let flush: Esys_FlushContext_Function
    let startSession: Esys_StartAuthSession_Function
    let setAttributes: Esys_TRSess_SetAttributes_Function
    let handleOfPersistent: Esys_TR_FromTPMPublic_Function
    let name: Esys_TR_GetName_Function
    let setAuthorization: Esys_TR_SetAuth_Function

    private static let loaded = Result { () throws(SharedLibraryError) in try TPMLibrary() }

    /// Loads the functions; throws `deviceUnavailable` if the system does not have the libraries.
    static func load() throws(KeyStoreError) -> TPMLibrary {
        do {
            return try loaded.get()
        } catch {
            throw KeyStoreError(
                .deviceUnavailable,
                "the TPM software stack cannot be loaded: install the Debian packages libtss2-esys-3.0.2-0 and "
                    + "libtss2-tctildr0, or what they are called on your system",
                underlying: error
            )
        }
    }

    private init() throws(SharedLibraryError) {
        let loader = try SharedLibrary("libtss2-tctildr.so.0")
        let system = try SharedLibrary("libtss2-esys.so.0")
        unsafe openTCTI = try unsafe loader.function("Tss2_TctiLdr_Initialize")
        unsafe closeTCTI = try unsafe loader.function("Tss2_TctiLdr_Finalize")
        unsafe initialize = try unsafe system.function("Esys_Initialize")
        unsafe finalize = try unsafe system.function("Esys_Finalize")
        unsafe free = try unsafe system.function("Esys_Free")
        unsafe getCapability = try unsafe system.function("Esys_GetCapability")
        unsafe createPrimary = try unsafe system.function("Esys_CreatePrimary")
        unsafe create = try unsafe system.function("Esys_Create")
        unsafe load = try unsafe system.function("Esys_Load")
        unsafe startSigning = try unsafe system.function("Esys_Sign_Async")
        unsafe finishSigning = try unsafe system.function("Esys_Sign_Finish")
        unsafe setTimeout = try unsafe system.function("Esys_SetTimeout")
        unsafe certify = try unsafe system.function("Esys_Certify")
        unsafe readPublic = try unsafe system.function("Esys_ReadPublic")
        unsafe flush = try unsafe system.function("Esys_FlushContext")
        unsafe startSession = try unsafe system.function("Esys_StartAuthSession")
        unsafe setAttributes = try unsafe system.function("Esys_TRSess_SetAttributes")
        unsafe handleOfPersistent = try unsafe system.function("Esys_TR_FromTPMPublic")
        unsafe name = try unsafe system.function("Esys_TR_GetName")
        unsafe setAuthorization = try unsafe system.function("Esys_TR_SetAuth")
    }
}
#endif
