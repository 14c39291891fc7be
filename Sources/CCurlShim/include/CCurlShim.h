// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__linux__)
#include <curl/curl.h>

/// curl_easy_setopt as it was looked up; its own type is variadic, which Swift has no word for.
typedef void (*keybound_curl_setopt)(void);
/// A function that libcurl hands bytes to, or takes bytes from.
typedef size_t (*keybound_curl_bytes)(char *bytes, size_t size, size_t count, void *context);
/// A function that goes to a place in the body of a request.
typedef int (*keybound_curl_seek)(void *context, curl_off_t offset, int origin);

/// curl_easy_setopt for each type of value.
CURLcode keybound_curl_set_long(keybound_curl_setopt setopt, CURL *easy, CURLoption option, long value);
CURLcode keybound_curl_set_offset(keybound_curl_setopt setopt, CURL *easy, CURLoption option, curl_off_t value);
CURLcode keybound_curl_set_text(keybound_curl_setopt setopt, CURL *easy, CURLoption option, const char *value);
CURLcode keybound_curl_set_blob(keybound_curl_setopt setopt, CURL *easy, CURLoption option, const struct curl_blob *value);
CURLcode keybound_curl_set_fields(keybound_curl_setopt setopt, CURL *easy, struct curl_slist *fields);
CURLcode keybound_curl_set_bytes(
    keybound_curl_setopt setopt, CURL *easy, CURLoption function, keybound_curl_bytes value, CURLoption data, void *context
);
CURLcode keybound_curl_set_seek(keybound_curl_setopt setopt, CURL *easy, keybound_curl_seek value, void *context);
/// Keeps the sockets of a handle from the programs that this process starts.
CURLcode keybound_curl_set_private_sockets(keybound_curl_setopt setopt, CURL *easy);
/// Says whether a handle may connect to an address, which has 4 or 16 bytes in network order; 0 for no.
struct keybound_curl_gate {
    int (*permits)(void *context, const unsigned char *address, size_t length);
    void *context;
};
/// The same, and the handle connects only where the gate, which must outlive the handle, permits it.
CURLcode keybound_curl_set_gate(keybound_curl_setopt setopt, CURL *easy, struct keybound_curl_gate *gate);
/// curl_easy_getinfo for a value of type long.
CURLcode keybound_curl_get_long(keybound_curl_setopt getinfo, CURL *easy, CURLINFO info, long *value);
/// The certificates of the last handshake, which belong to the handle (CURLINFO_CERTINFO).
CURLcode keybound_curl_get_certificates(keybound_curl_setopt getinfo, CURL *easy, struct curl_certinfo **value);
#endif
