// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#include <openssl/crypto.h>
#include <stddef.h>

// By itself OpenSSL frees everything in exit(), while threads may still be using it: a program that ends in the middle of its work
// dies of SIGSEGV or SIGABRT instead. The first call decides, so this one is made before main.
__attribute__((constructor)) static void keepUntilTheProcessIsGone(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
#endif
