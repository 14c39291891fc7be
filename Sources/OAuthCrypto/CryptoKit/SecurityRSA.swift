// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
import Security

/// What both kinds of RSA keys need from the Security framework, in the types of Core Foundation that it speaks.
enum SecurityRSA {
    /// A key object from DER of PKCS #1; `nil` when Security refuses it.
    static func makeKey(_ der: [UInt8], class keyClass: CFString) -> SecKey? {
        guard let data = data(der),
            let attributes = attributes([(kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeyClass, keyClass)])
        else { return nil }
        return SecKeyCreateWithData(data, attributes, nil)
    }

    /// A new private key.
    static func generateKey(bits: Int32) -> SecKey? {
        var bits = bits
        guard let size = unsafe CFNumberCreate(nil, .sInt32Type, &bits),
            let attributes = attributes([(kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeySizeInBits, size)])
        else { return nil }
        return SecKeyCreateRandomKey(attributes, nil)
    }

    /// The PKCS #1 form of a key; wipe it after use.
    static func pkcs1(of key: SecKey) -> [UInt8]? {
        guard let data = SecKeyCopyExternalRepresentation(key, nil) else { return nil }
        return bytes(of: data)
    }

    /// A copy as data; `nil` without memory.
    static func data(_ bytes: [UInt8]) -> CFData? {
        unsafe CFDataCreate(nil, bytes, bytes.count)
    }

    /// A copy of data.
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
