// SPDX-License-Identifier: Apache-2.0
//
// Tells ThreadSanitizer in which order Swift's Mutex lets waiting threads in; scripts/sanitize preloads this library.
//
// Synchronization.Mutex is compiled into its callers as far as nobody waits: an atomic exchange, which is seen. Where
// somebody waits, the kernel hands the lock over (FUTEX_LOCK_PI) in functions of libswiftSynchronization, which is not
// instrumented: every access under a Mutex that two threads wanted at once would be reported. Here those functions are
// wrapped: each runs the real one and notes the order that it made. Nothing is suppressed: an access that is not under the
// lock is reported as ever. Nothing of this is in the product.
//
// The names are those of the library's ABI. A release of Swift that renames them brings false reports, never hides a true
// one; scripts/sanitize checks for the names first.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
// `self` comes in the register that Swift keeps for it.
#define SELF __attribute__((swift_context)) void *self

// Weak: programs that are not instrumented, such as the browser, are started with this library too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void acquire(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static void release(void *address) {
    if (__tsan_release) __tsan_release(address);
}

// The real function, once the name is this library's: that of the library loaded after it.
#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

#define MUTEX(name) "$s15Synchronization12_MutexHandleV" name
#define LOCK MUTEX("9_lockSlowyys6UInt32VF")
#define TRY_LOCK MUTEX("12_tryLockSlowSbyF")
#define UNLOCK MUTEX("11_unlockSlowyyF")

typedef SWIFT void (*Lock)(uint32_t thread, SELF);
typedef SWIFT bool (*TryLock)(SELF);
typedef SWIFT void (*Unlock)(SELF);

SWIFT void keybound_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool keybound_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void keybound_unlock(SELF) __asm__(UNLOCK);

SWIFT void keybound_lock(uint32_t thread, SELF) {
    REAL(Lock, LOCK)(thread, self);
    acquire(self);
}

SWIFT bool keybound_try_lock(SELF) {
    bool is_locked = REAL(TryLock, TRY_LOCK)(self);
    if (is_locked) acquire(self);
    return is_locked;
}

SWIFT void keybound_unlock(SELF) {
    Unlock unlock = REAL(Unlock, UNLOCK);
    release(self);
    unlock(self);
}
