// SPDX-License-Identifier: Apache-2.0
//
// A PKCS #11 module in front of SoftHSM that fails when a test tells it to. Each copy of the built file fails by itself.
//
// It does one thing at a time, as a device does; SoftHSM answers errors now and then when keys are made and deleted at once.
//
//   -DSOFTHSM='"path"'   the module behind it
//   -DWITHOUT_SIGN       its table lacks C_Sign
//   -DWITHOUT_TABLE      it is no module
#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef WITHOUT_TABLE

#define FUNCTIONS(each) \
    each(C_GetSlotList) each(C_OpenSession) each(C_CloseSession) each(C_Login) each(C_SignInit) each(C_Sign) each(C_GenerateKeyPair) \
    each(C_SetAttributeValue) each(C_GetTokenInfo)

enum function {
#define NUMBER(name) number_##name,
    FUNCTIONS(NUMBER)
    function_count
};

static const char *const names[] = {
#define NAME(name) #name,
    FUNCTIONS(NAME)
};

static CK_FUNCTION_LIST *real;
static CK_FUNCTION_LIST table;
static atomic_ulong calls[function_count], answers[function_count], failures[function_count], delays[function_count];
static atomic_ulong added_slot_flags, added_token_flags;
static atomic_int is_removed, is_of_others, point_form, session_limit = -1;
static _Atomic(const void *) pin_address;
static atomic_ulong signing_thread;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
#define ALONE(call) \
    do { \
        pthread_mutex_lock(&one_at_a_time); \
        CK_RV answer = (call); \
        pthread_mutex_unlock(&one_at_a_time); \
        return answer; \
    } while (0)

static int number(const char *name) {
    for (int i = 0; i < function_count; i++) {
        if (strcmp(names[i], name) == 0) return i;
    }
    abort();
}

// What a test calls.
void fault_fail(const char *name, unsigned long answer, unsigned long times) {
    answers[number(name)] = answer;
    failures[number(name)] = times;
}
// So many microseconds before each call.
void fault_delay(const char *name, unsigned long delay) { delays[number(name)] = delay; }
unsigned long fault_calls(const char *name) { return calls[number(name)]; }
void fault_flags(unsigned long slot, unsigned long token) { added_slot_flags = slot; added_token_flags = token; }
// 0: as it is, 1: not wrapped, 2: not on the curve, 3: longer than its place, 4: cut short.
void fault_point(int form) { point_form = form; }
void fault_sessions(int limit) { session_limit = limit; }
// Whether it says that it was made by others than SoftHSM's.
void fault_of_others(int of_others) { is_of_others = of_others; }
// The thread that the last signature was made on.
unsigned long fault_signing_thread(void) { return signing_thread; }
// Where the PIN of the last login was.
const void *fault_pin_address(void) { return pin_address; }

// The slot of a token; that of none when there is no such token.
static CK_SLOT_ID slot_of(const char *label) {
    CK_SLOT_ID slots[256];
    CK_ULONG count = 256;
    if (real->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK) return CK_UNAVAILABLE_INFORMATION;
    for (CK_ULONG i = 0; i < count; i++) {
        CK_TOKEN_INFO info;
        if (real->C_GetTokenInfo(slots[i], &info) == CKR_OK && memcmp(info.label, label, strlen(label)) == 0
            && (strlen(label) == 32 || info.label[strlen(label)] == ' ')) {
            return slots[i];
        }
    }
    return CK_UNAVAILABLE_INFORMATION;
}
// Takes a token out, which ends its sessions, or puts it back.
void fault_removed(const char *label, int removed) {
    is_removed = removed;
    if (removed) real->C_CloseAllSessions(slot_of(label));
}
// Logs the process out of a token, as other code of it may; 0 when that worked.
unsigned long fault_log_out(const char *label) {
    CK_SESSION_HANDLE session;
    CK_RV answer = real->C_OpenSession(slot_of(label), CKF_SERIAL_SESSION, NULL, NULL, &session);
    if (answer != CKR_OK) return answer;
    answer = real->C_Logout(session);
    real->C_CloseSession(session);
    return answer;
}

// Whether the tokens are out: a test said so, or made the file that the environment names; that ends all sessions.
static int is_out(void) {
    const char *file = getenv("TEST_TOKENS_OUT");
    if (file == NULL || access(file, F_OK) != 0) return is_removed;
    CK_SLOT_ID slots[256];
    CK_ULONG count = 256;
    if (real->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK) return 1;
    for (CK_ULONG i = 0; i < count; i++) real->C_CloseAllSessions(slots[i]);
    return 1;
}

// Counts a call; the answer that it must give, or CKR_OK to go on.
static CK_RV fault(enum function function) {
    calls[function]++;
    if (delays[function] > 0) usleep(delays[function]);
    unsigned long left = failures[function];
    while (left > 0) {
        if (atomic_compare_exchange_weak(&failures[function], &left, left - 1)) return answers[function];
    }
    return CKR_OK;
}
#define FAULT(name) \
    do { \
        CK_RV answer = fault(number_##name); \
        if (answer != CKR_OK) return answer; \
    } while (0)

static CK_RV get_info(CK_INFO *info) {
    CK_RV answer = real->C_GetInfo(info);
    if (is_of_others) memcpy(info->manufacturerID, "Others ", 7);
    return answer;
}

static CK_RV get_slot_list(unsigned char present, CK_SLOT_ID *slots, CK_ULONG *count) {
    FAULT(C_GetSlotList);
    if (is_out()) {
        *count = 0;
        return CKR_OK;
    }
    return real->C_GetSlotList(present, slots, count);
}

static CK_RV get_slot_info(CK_SLOT_ID slot, CK_SLOT_INFO *info) {
    CK_RV answer = real->C_GetSlotInfo(slot, info);
    info->flags |= added_slot_flags;
    return answer;
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    FAULT(C_GetTokenInfo);
    CK_RV answer = real->C_GetTokenInfo(slot, info);
    info->flags |= added_token_flags;
    return answer;
}

static CK_RV open_session(CK_SLOT_ID slot, CK_FLAGS flags, void *app, CK_NOTIFY notify, CK_SESSION_HANDLE *session) {
    FAULT(C_OpenSession);
    int left = session_limit;
    do {
        if (left == 0) return CKR_SESSION_COUNT;
    } while (left > 0 && !atomic_compare_exchange_weak(&session_limit, &left, left - 1));
    CK_RV answer = real->C_OpenSession(slot, flags, app, notify, session);
    if (answer != CKR_OK && left > 0) session_limit++;
    return answer;
}

static CK_RV close_session(CK_SESSION_HANDLE session) {
    FAULT(C_CloseSession);
    if (session_limit >= 0) session_limit++;
    return real->C_CloseSession(session);
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, unsigned char *pin, CK_ULONG count) {
    FAULT(C_Login);
    pin_address = pin;
    const char *file = getenv("TEST_TOKENS_LOGINS");
    FILE *log = file == NULL ? NULL : fopen(file, "a");
    if (log != NULL) {
        fputs("login\n", log);
        fclose(log);
    }
    return real->C_Login(session, user, pin, count);
}

static CK_RV sign_init(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
    FAULT(C_SignInit);
    if (is_out()) return CKR_DEVICE_REMOVED;
    ALONE(real->C_SignInit(session, mechanism, key));
}

static CK_RV sign(CK_SESSION_HANDLE session, unsigned char *data, CK_ULONG count, unsigned char *out, CK_ULONG *out_count) {
    signing_thread = pthread_self();
    FAULT(C_Sign);
    return real->C_Sign(session, data, count, out, out_count);
}

static CK_RV generate(
    CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *a, CK_ULONG a_count, CK_ATTRIBUTE *b, CK_ULONG b_count,
    CK_OBJECT_HANDLE *public_key, CK_OBJECT_HANDLE *private_key
) {
    FAULT(C_GenerateKeyPair);
    ALONE(real->C_GenerateKeyPair(session, mechanism, a, a_count, b, b_count, public_key, private_key));
}

static CK_RV set_attribute(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *a, CK_ULONG count) {
    FAULT(C_SetAttributeValue);
    ALONE(real->C_SetAttributeValue(session, object, a, count));
}

static CK_RV destroy(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) { ALONE(real->C_DestroyObject(session, object)); }

static CK_RV find(CK_SESSION_HANDLE session, CK_ATTRIBUTE *a, CK_ULONG count) {
    if (is_out()) return CKR_DEVICE_REMOVED;
    ALONE(real->C_FindObjectsInit(session, a, count));
}

static CK_RV read_attribute(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *a, CK_ULONG count) {
    ALONE(real->C_GetAttributeValue(session, object, a, count));
}

static CK_RV get_attribute(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *a, CK_ULONG count) {
    CK_RV answer = read_attribute(session, object, a, count);
    if (answer != CKR_OK || count != 1 || a->type != CKA_EC_POINT || a->pValue == NULL) return answer;
    unsigned char *point = a->pValue;
    switch (point_form) {
    case 1:
        memmove(point, point + 2, a->ulValueLen - 2);
        a->ulValueLen -= 2;
        break;
    case 2: point[a->ulValueLen - 1] ^= 1; break;
    case 3: a->ulValueLen = 1 << 20; break;
    case 4: a->ulValueLen -= 1; break;
    }
    return CKR_OK;
}

static void load(void) {
    void *library = dlopen(SOFTHSM, RTLD_NOW | RTLD_LOCAL);
    CK_C_GetFunctionList get = library == NULL ? NULL : (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
    if (get == NULL || get(&real) != CKR_OK) return;
    table = *real;
    table.C_GetInfo = get_info;
    table.C_GetSlotList = get_slot_list;
    table.C_GetSlotInfo = get_slot_info;
    table.C_GetTokenInfo = get_token_info;
    table.C_OpenSession = open_session;
    table.C_CloseSession = close_session;
    table.C_Login = login;
    table.C_SignInit = sign_init;
    table.C_Sign = sign;
    table.C_GenerateKeyPair = generate;
    table.C_SetAttributeValue = set_attribute;
    table.C_GetAttributeValue = get_attribute;
    table.C_DestroyObject = destroy;
    table.C_FindObjectsInit = find;
#ifdef WITHOUT_SIGN
    table.C_Sign = NULL;
#endif
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    if (real == NULL) load();
    if (real == NULL) return CKR_GENERAL_ERROR;
    *list = &table;
    return CKR_OK;
}

#endif
