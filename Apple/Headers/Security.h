// SPDX-License-Identifier: Apache-2.0
// Declarations of Security for type-checking only.
#pragma once
#include "CoreFoundation.h"
#pragma clang assume_nonnull begin

typedef const struct __SecRandom *SecRandomRef;

enum : OSStatus { errSecSuccess = 0 };

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

#pragma clang arc_cf_code_audited end
#pragma clang assume_nonnull end
