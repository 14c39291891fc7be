// SPDX-License-Identifier: Apache-2.0
// The functions of libpq that the driver calls. They load libpq, so that a server on SQLite never has it, nor the twenty
// libraries that come with it.
#include "CPostgreSQLOnDemand.h"

#if defined(__linux__)
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define HIDDEN __attribute__((visibility("hidden")))

static void *load(void) {
    return dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
}

const char *postgresql_load_problem(void) {
    return load() ? NULL : dlerror();
}

// Whoever gets here has asked `postgresql_load_problem` before.
static void *find(const char *name) {
    void *library = load();
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "libpq has no function %s: install the Debian package libpq5\n", name);
        abort();
    }
    return function;
}

// The address is the same for every thread, so it does not matter which of them stores it.
static void *kept(_Atomic(void *) *place, const char *name) {
    void *function = atomic_load_explicit(place, memory_order_acquire);
    if (!function) {
        function = find(name);
        atomic_store_explicit(place, function, memory_order_release);
    }
    return function;
}

#define FORWARD(result, name, parameters, arguments) \
    HIDDEN result name parameters { \
        static _Atomic(void *) place; \
        return ((__typeof__(&name))kept(&place, #name)) arguments; \
    }
#define FORWARD_VOID(name, parameters, arguments) \
    HIDDEN void name parameters { \
        static _Atomic(void *) place; \
        ((__typeof__(&name))kept(&place, #name)) arguments; \
    }

FORWARD(PGconn *, PQconnectdb, (const char *conninfo), (conninfo))
FORWARD(
    PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expand_dbname),
    (keywords, values, expand_dbname)
)
FORWARD(PQconninfoOption *, PQconninfoParse, (const char *conninfo, char **errmsg), (conninfo, errmsg))
FORWARD_VOID(PQconninfoFree, (PQconninfoOption *options), (options))
FORWARD_VOID(PQfinish, (PGconn *conn), (conn))
FORWARD(ConnStatusType, PQstatus, (const PGconn *conn), (conn))
FORWARD(char *, PQerrorMessage, (const PGconn *conn), (conn))
FORWARD(int, PQserverVersion, (const PGconn *conn), (conn))
FORWARD(int, PQbackendPID, (const PGconn *conn), (conn))
FORWARD(const char *, PQparameterStatus, (const PGconn *conn, const char *name), (conn, name))
FORWARD(int, PQsocket, (const PGconn *conn), (conn))
FORWARD(int, PQsetnonblocking, (PGconn *conn, int arg), (conn, arg))
FORWARD(int, PQenterPipelineMode, (PGconn *conn), (conn))
FORWARD(int, PQpipelineSync, (PGconn *conn), (conn))
FORWARD(int, PQflush, (PGconn *conn), (conn))
FORWARD(int, PQconsumeInput, (PGconn *conn), (conn))
FORWARD(int, PQisBusy, (PGconn *conn), (conn))
FORWARD(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *conn, PQnoticeReceiver proc, void *arg), (conn, proc, arg))
FORWARD(
    int, PQsendPrepare, (PGconn *conn, const char *name, const char *query, int count, const Oid *types),
    (conn, name, query, count, types)
)
FORWARD(
    int, PQsendQueryPrepared,
    (PGconn *conn, const char *name, int count, const char *const *values, const int *lengths, const int *formats, int result),
    (conn, name, count, values, lengths, formats, result)
)
FORWARD(
    int, PQsendQueryParams,
    (PGconn *conn, const char *query, int count, const Oid *types, const char *const *values, const int *lengths,
     const int *formats, int result),
    (conn, query, count, types, values, lengths, formats, result)
)
FORWARD(PGresult *, PQexec, (PGconn *conn, const char *query), (conn, query))
FORWARD(PGresult *, PQgetResult, (PGconn *conn), (conn))
FORWARD(ExecStatusType, PQresultStatus, (const PGresult *res), (res))
FORWARD(char *, PQresultErrorField, (const PGresult *res, int field), (res, field))
FORWARD(int, PQntuples, (const PGresult *res), (res))
FORWARD(int, PQnfields, (const PGresult *res), (res))
FORWARD(char *, PQfname, (const PGresult *res, int field), (res, field))
FORWARD(Oid, PQftype, (const PGresult *res, int field), (res, field))
FORWARD(int, PQgetisnull, (const PGresult *res, int row, int field), (res, row, field))
FORWARD(int, PQgetlength, (const PGresult *res, int row, int field), (res, row, field))
FORWARD(char *, PQgetvalue, (const PGresult *res, int row, int field), (res, row, field))
FORWARD(char *, PQcmdTuples, (PGresult *res), (res))
FORWARD_VOID(PQclear, (PGresult *res), (res))
#else
const char *postgresql_load_problem(void) {
    return "only on Linux";
}
#endif
