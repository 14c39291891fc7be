// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

extension PKCS11Session {
    /// Signs the output of ``PKCS11Algorithm/input(for:)``; a signature of the key has `count` bytes.
    ///
    /// `authenticate` is called between start and signature, for keys that require the PIN each time.
    func sign(
        _ input: [UInt8],
        with key: CK_OBJECT_HANDLE,
        _ algorithm: PKCS11Algorithm,
        count: Int,
        authenticate: (() throws(KeyStoreError) -> Void)?
    ) throws(KeyStoreError) -> [UInt8] {
        try startSigning(with: key, algorithm)
        isUnfinished = true
        if let authenticate { try authenticate() }
        var signature = [UInt8](repeating: 0, count: count)
        var signatureCount = CK_ULONG(count)
        var input = input
        let status = unsafe module.functions.pointee.C_Sign(
            handle,
            &input,
            CK_ULONG(input.count),
            &signature,
            &signatureCount
        )
        if status == CKR_BUFFER_TOO_SMALL { throw PKCS11Module.lie("a signature is longer than those of the key") }
        try module.check("C_Sign", status)
        isUnfinished = false
        guard signatureCount == count else {
            throw PKCS11Module.lie("a signature does not have the length of the key's")
        }
        return signature
    }

    private func startSigning(
        with key: CK_OBJECT_HANDLE,
        _ algorithm: PKCS11Algorithm
    ) throws(KeyStoreError) {
        var mechanism = unsafe CK_MECHANISM(mechanism: algorithm.mechanism, pParameter: nil, ulParameterLen: 0)
        let status: CK_RV
        if algorithm == .ps256 {
            // RFC 7518 section 3.5: a salt as long as the digest, and MGF1 with the same function.
            var parameters = CK_RSA_PKCS_PSS_PARAMS(hashAlg: CKM_SHA256, mgf: CKG_MGF1_SHA256, sLen: 32)
            status = unsafe withUnsafeMutableBytes(of: &parameters) { parameters in
                unsafe mechanism.pParameter = parameters.baseAddress
                unsafe mechanism.ulParameterLen = CK_ULONG(parameters.count)
                return unsafe module.functions.pointee.C_SignInit(handle, &mechanism, key)
            }
        } else {
            status = unsafe module.functions.pointee.C_SignInit(handle, &mechanism, key)
        }
        try module.check("C_SignInit", status)
    }
}
#endif
