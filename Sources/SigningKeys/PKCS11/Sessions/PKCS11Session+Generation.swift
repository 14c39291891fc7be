// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11

extension PKCS11Session {
    /// Makes a key that is not exportable and can only sign.
    func generateKeyPair(
        _ algorithm: PKCS11Algorithm,
        label: [UInt8],
        id: [UInt8]
    ) throws(KeyStoreError) -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        let publicTemplate = try publicTemplate(algorithm, label, id)
        var mechanism = unsafe CK_MECHANISM(mechanism: algorithm.generation, pParameter: nil, ulParameterLen: 0)
        var (publicKey, privateKey): (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) = (0, 0)
        try unsafe publicTemplate.withAttributes { publicPart, publicCount throws(KeyStoreError) in
            try unsafe Self.privateTemplate(algorithm, label, id)
                .withAttributes { privatePart, privateCount throws(KeyStoreError) in
                    let status = unsafe module.functions.pointee.C_GenerateKeyPair(
                        handle,
                        &mechanism,
                        publicPart,
                        publicCount,
                        privatePart,
                        privateCount,
                        &publicKey,
                        &privateKey
                    )
                    try module.check("C_GenerateKeyPair", status)
                }
        }
        return (publicKey, privateKey)
    }

    private func publicTemplate(
        _ algorithm: PKCS11Algorithm,
        _ label: [UInt8],
        _ id: [UInt8]
    ) throws(KeyStoreError) -> PKCS11Template {
        var template = PKCS11Template(class: CKO_PUBLIC_KEY)
        template.add(CKA_KEY_TYPE, algorithm.keyType)
        template.add(CKA_TOKEN, true)
        template.add(CKA_PRIVATE, false)
        template.add(CKA_LABEL, label)
        template.add(CKA_ID, id)
        template.add(CKA_VERIFY, true)
        template.add(CKA_ENCRYPT, false)
        template.add(CKA_WRAP, false)
        if let parameters = algorithm.parameters {
            template.add(CKA_EC_PARAMS, parameters)
        } else {
            template.add(CKA_MODULUS_BITS, try modulusBits())
            template.add(CKA_PUBLIC_EXPONENT, [0x01, 0x00, 0x01])
        }
        return template
    }

    private static func privateTemplate(
        _ algorithm: PKCS11Algorithm,
        _ label: [UInt8],
        _ id: [UInt8]
    ) -> PKCS11Template {
        var template = PKCS11Template(class: CKO_PRIVATE_KEY)
        template.add(CKA_KEY_TYPE, algorithm.keyType)
        template.add(CKA_TOKEN, true)
        template.add(CKA_PRIVATE, true)
        template.add(CKA_SENSITIVE, true)
        template.add(CKA_EXTRACTABLE, false)
        template.add(CKA_LABEL, label)
        template.add(CKA_ID, id)
        template.add(CKA_SIGN, true)
        template.add(CKA_DECRYPT, false)
        template.add(CKA_UNWRAP, false)
        template.add(CKA_DERIVE, false)
        return template
    }

    /// 3072 like software keys, or 2048 if the token supports no more, as many cards.
    private func modulusBits() throws(KeyStoreError) -> CK_ULONG {
        var info = CK_MECHANISM_INFO()
        let status = unsafe module.functions.pointee.C_GetMechanismInfo(slot, CKM_RSA_PKCS_KEY_PAIR_GEN, &info)
        try module.check("C_GetMechanismInfo", status)
        return info.ulMaxKeySize >= 3072 ? 3072 : 2048
    }
}
#endif
