// SPDX-License-Identifier: Apache-2.0
// Declarations of Security for type-checking only.
#pragma once
#pragma clang assume_nonnull begin

typedef __SIZE_TYPE__ size_t;
typedef signed int OSStatus;
typedef const struct __SecRandom *SecRandomRef;

enum : OSStatus { errSecSuccess = 0 };

extern const SecRandomRef kSecRandomDefault;
int SecRandomCopyBytes(SecRandomRef _Nullable rnd, size_t count, void *bytes);

#pragma clang assume_nonnull end
