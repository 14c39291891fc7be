// SPDX-License-Identifier: Apache-2.0
// The functions of libcurl that FoundationNetworking calls, for a program in which it is linked statically. The first call
// loads libcurl; a program that makes no URLSession never has it, nor the twenty libraries that come with it.
//
// They are hidden: whoever else is in the process, a shared FoundationNetworking too, calls libcurl itself.
#if defined(__linux__)
#define CURL_DISABLE_TYPECHECK
// Its first parameter became const in a later version; this one is for both.
#define curl_url_get declared_curl_url_get
#include <curl/curl.h>
#undef curl_url_get
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// The header defines these as macros over the functions.
#undef curl_easy_setopt
#undef curl_multi_setopt

#define HIDDEN __attribute__((visibility("hidden")))

// URLSession has no way to say that there is no libcurl.
static void *find(const char *name) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "libcurl cannot be loaded (%s): install the Debian package libcurl4\n", dlerror());
        abort();
    }
    return function;
}

// Looked up with every call, which is counted by the loader: nothing here is shared between threads.
#define FUNCTION(name) ((__typeof__(&name))find(#name))

#define FORWARD(result, name, parameters, arguments) \
    HIDDEN result name parameters { return FUNCTION(name) arguments; }

FORWARD(CURLcode, curl_global_init, (long flags), (flags))
FORWARD(char *, curl_version, (void), ())
FORWARD(curl_version_info_data *, curl_version_info, (CURLversion age), (age))
HIDDEN void curl_free(void *memory) { FUNCTION(curl_free)(memory); }

FORWARD(CURL *, curl_easy_init, (void), ())
HIDDEN void curl_easy_cleanup(CURL *easy) { FUNCTION(curl_easy_cleanup)(easy); }
FORWARD(CURLcode, curl_easy_pause, (CURL *easy, int bits), (easy, bits))
FORWARD(const char *, curl_easy_strerror, (CURLcode result), (result))

FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))
HIDDEN void curl_slist_free_all(struct curl_slist *list) { FUNCTION(curl_slist_free_all)(list); }

FORWARD(CURLM *, curl_multi_init, (void), ())
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), (multi, easy))
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), (multi, easy))
FORWARD(CURLMcode, curl_multi_assign, (CURLM *multi, curl_socket_t socket, void *context), (multi, socket, context))
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left))
FORWARD(
    CURLMcode, curl_multi_socket_action, (CURLM *multi, curl_socket_t socket, int events, int *running),
    (multi, socket, events, running)
)

FORWARD(CURLU *, curl_url, (void), ())
HIDDEN CURLUcode curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned flags) {
    return ((__typeof__(&declared_curl_url_get))find("curl_url_get"))(url, part, text, flags);
}
FORWARD(CURLUcode, curl_url_set, (CURLU *url, CURLUPart part, const char *text, unsigned flags), (url, part, text, flags))

// An option's number says which type its value has (curl/curl.h, CURLOPTTYPE_*).
#define FORWARD_OPTION(result, name, handle_type, option_type)                                               \
    HIDDEN result name(handle_type *handle, option_type option, ...) {                                       \
        va_list values;                                                                                      \
        va_start(values, option);                                                                            \
        result outcome;                                                                                      \
        switch (option / 10000 * 10000) {                                                                    \
        case CURLOPTTYPE_LONG: outcome = FUNCTION(name)(handle, option, va_arg(values, long)); break;        \
        case CURLOPTTYPE_OFF_T: outcome = FUNCTION(name)(handle, option, va_arg(values, curl_off_t)); break; \
        default: outcome = FUNCTION(name)(handle, option, va_arg(values, void *)); break;                    \
        }                                                                                                    \
        va_end(values);                                                                                      \
        return outcome;                                                                                      \
    }

FORWARD_OPTION(CURLcode, curl_easy_setopt, CURL, CURLoption)
FORWARD_OPTION(CURLMcode, curl_multi_setopt, CURLM, CURLMoption)

// What is asked for is always written to an address.
HIDDEN CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...) {
    va_list values;
    va_start(values, info);
    CURLcode result = FUNCTION(curl_easy_getinfo)(easy, info, va_arg(values, void *));
    va_end(values);
    return result;
}
#endif
