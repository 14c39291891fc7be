// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

/// RSA functions of the Security framework for public and private keys, in Core Foundation types.
enum SecurityRSA {
    /// A key object from PKCS #1 DER; `nil` if Security rejects it.
    static func makeKey(_ der: [UInt8], class keyClass: CFString) -> SecKey? {
        guard let data = data(der),
            let attributes = attributes([(kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeyClass, keyClass)])
        else { return nil }
        return SecKeyCreateWithData(data, attributes, nil)
    }

    static func generateKey(bits: Int32) -> SecKey? {
        var bits = bits
        guard let size = unsafe CFNumberCreate(nil, .sInt32Type, &bits),
            let attributes = attributes([(kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeySizeInBits, size)])
        else { return nil }
        return SecKeyCreateRandomKey(attributes, nil)
    }

    /// The key in PKCS #1 DER.
    ///
    /// Wipe it after use.
    static func pkcs1(of key: SecKey) -> [UInt8]? {
        guard let data = SecKeyCopyExternalRepresentation(key, nil) else { return nil }
        return bytes(of: data)
    }

    /// A copy as `CFData`; `nil` if memory is short.
    static func data(_ bytes: [UInt8]) -> CFData? {
        unsafe CFDataCreate(nil, bytes, bytes.count)
    }

    static func bytes(of data: CFData) -> [UInt8] {
        let start = unsafe CFDataGetBytePtr(data)
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: CFDataGetLength(data)))
    }

    private static func attributes(_ members: [(CFString, CFTypeRef)]) -> CFDictionary? {
        var (keyCallBacks, valueCallBacks) = (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
        guard let attributes = unsafe CFDictionaryCreateMutable(nil, members.count, &keyCallBacks, &valueCallBacks)
        else {
            return nil
        }
        for (key, value) in members {
            unsafe CFDictionarySetValue(
                attributes,
                Unmanaged.passUnretained(key).toOpaque(),
                Unmanaged.passUnretained(value).toOpaque()
            )
        }
        return attributes
    }
}
#endif
