// SPDX-License-Identifier: Apache-2.0
// Declarations of Security for type-checking only.
#pragma once
#include "CoreFoundation.h"
#pragma clang assume_nonnull begin

typedef const struct __SecRandom *SecRandomRef;

enum : OSStatus {
    errSecSuccess = 0,
    errSecUserCanceled = -128,
    errSecDuplicateItem = -25299,
    errSecItemNotFound = -25300,
    errSecInteractionNotAllowed = -25308,
    errSecDecode = -26275,
    errSecMissingEntitlement = -34018
};

extern const SecRandomRef kSecRandomDefault;
int SecRandomCopyBytes(SecRandomRef _Nullable rnd, size_t count, void *bytes);

#pragma clang arc_cf_code_audited begin

typedef struct __attribute__((objc_bridge(id))) __SecKey *SecKeyRef;
typedef CFStringRef SecKeyAlgorithm __attribute__((swift_wrapper(enum)));

extern const CFStringRef kSecAttrKeyType;
extern const CFStringRef kSecAttrKeyTypeRSA;
extern const CFStringRef kSecAttrKeyClass;
extern const CFStringRef kSecAttrKeyClassPublic;
extern const CFStringRef kSecAttrKeyClassPrivate;
extern const CFStringRef kSecAttrKeySizeInBits;

extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA512;

SecKeyRef _Nullable SecKeyCreateRandomKey(CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error)
    __attribute__((cf_returns_retained));
SecKeyRef _Nullable SecKeyCreateWithData(CFDataRef keyData, CFDictionaryRef attributes,
                                         CFErrorRef _Nullable *_Nullable error) __attribute__((cf_returns_retained));
CFDataRef _Nullable SecKeyCopyExternalRepresentation(SecKeyRef key, CFErrorRef _Nullable *_Nullable error)
    __attribute__((cf_returns_retained));
CFDataRef _Nullable SecKeyCreateSignature(SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef dataToSign,
                                          CFErrorRef _Nullable *_Nullable error) __attribute__((cf_returns_retained));
// Apple's header says Boolean, which Swift shows as Bool in a result.
_Bool SecKeyVerifySignature(SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef signedData, CFDataRef signature,
                            CFErrorRef _Nullable *_Nullable error);

// The Keychain

extern const CFStringRef kSecClass;
extern const CFStringRef kSecClassGenericPassword;
extern const CFStringRef kSecAttrService;
extern const CFStringRef kSecAttrAccount;
extern const CFStringRef kSecAttrAccessGroup;
extern const CFStringRef kSecAttrSynchronizable;
extern const CFStringRef kSecAttrAccessible;
extern const CFStringRef kSecValueData;
extern const CFStringRef kSecReturnData;
extern const CFStringRef kSecReturnAttributes;
extern const CFStringRef kSecMatchLimit;
extern const CFStringRef kSecMatchLimitOne;
extern const CFStringRef kSecMatchLimitAll;
extern const CFStringRef kSecUseDataProtectionKeychain
    __attribute__((availability(ios, introduced = 13.0))) __attribute__((availability(macos, introduced = 10.15)));
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly;
extern const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly;
extern const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly;

OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable __attribute__((cf_returns_retained)) result);
OSStatus SecItemCopyMatching(CFDictionaryRef query,
                             CFTypeRef _Nullable *_Nullable __attribute__((cf_returns_retained)) result);
OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);
OSStatus SecItemDelete(CFDictionaryRef query);

// Access control of keys

typedef struct __attribute__((objc_bridge(id))) __SecAccessControl *SecAccessControlRef;
typedef enum __attribute__((flag_enum, enum_extensibility(open))) SecAccessControlCreateFlags : CFOptionFlags
    SecAccessControlCreateFlags;
enum SecAccessControlCreateFlags : CFOptionFlags {
    kSecAccessControlUserPresence = 1u << 0,
    kSecAccessControlBiometryAny = 1u << 1,
    kSecAccessControlBiometryCurrentSet = 1u << 3,
    kSecAccessControlDevicePasscode = 1u << 4,
    kSecAccessControlOr = 1u << 14,
    kSecAccessControlAnd = 1u << 15,
    kSecAccessControlPrivateKeyUsage = 1u << 30,
    kSecAccessControlApplicationPassword = 1u << 31
};
SecAccessControlRef _Nullable SecAccessControlCreateWithFlags(CFAllocatorRef _Nullable allocator, CFTypeRef protection,
                                                              SecAccessControlCreateFlags flags,
                                                              CFErrorRef _Nullable *_Nullable error)
    __attribute__((cf_returns_retained));

#pragma clang arc_cf_code_audited end
#pragma clang assume_nonnull end
