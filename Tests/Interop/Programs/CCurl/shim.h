// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

// libcurl sets its options through variadic functions, which Swift cannot call; one function for each type of value.

static inline CURLcode kb_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode kb_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode kb_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*kb_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode kb_curl_set_receiver(CURL *handle, CURLoption option, kb_curl_receiver receiver) {
    return curl_easy_setopt(handle, option, receiver);
}

static inline CURLcode kb_curl_set_context(CURL *handle, CURLoption option, void *context) {
    return curl_easy_setopt(handle, option, context);
}

static inline CURLcode kb_curl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
