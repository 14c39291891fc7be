// SPDX-License-Identifier: Apache-2.0
// Swift cannot call variadic functions of C; these forward to one of them, which was looked up by name.
#include "CCurlShim.h"

#if defined(__linux__)
#include <sys/socket.h>

typedef CURLcode (*variadic_setopt)(CURL *, CURLoption, ...);

static curl_socket_t open_private_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode keybound_curl_set_private_sockets(keybound_curl_setopt setopt, CURL *easy) {
    curl_opensocket_callback value = open_private_socket;
    return ((variadic_setopt)setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

CURLcode keybound_curl_set_long(keybound_curl_setopt setopt, CURL *easy, CURLoption option, long value) {
    return ((variadic_setopt)setopt)(easy, option, value);
}

CURLcode keybound_curl_set_offset(keybound_curl_setopt setopt, CURL *easy, CURLoption option, curl_off_t value) {
    return ((variadic_setopt)setopt)(easy, option, value);
}

CURLcode keybound_curl_set_text(keybound_curl_setopt setopt, CURL *easy, CURLoption option, const char *value) {
    return ((variadic_setopt)setopt)(easy, option, value);
}

CURLcode keybound_curl_set_blob(keybound_curl_setopt setopt, CURL *easy, CURLoption option, const struct curl_blob *value) {
    return ((variadic_setopt)setopt)(easy, option, value);
}

CURLcode keybound_curl_set_fields(keybound_curl_setopt setopt, CURL *easy, struct curl_slist *fields) {
    return ((variadic_setopt)setopt)(easy, CURLOPT_HTTPHEADER, fields);
}

CURLcode keybound_curl_set_bytes(
    keybound_curl_setopt setopt, CURL *easy, CURLoption function, keybound_curl_bytes value, CURLoption data, void *context
) {
    CURLcode result = ((variadic_setopt)setopt)(easy, function, value);
    return result == CURLE_OK ? ((variadic_setopt)setopt)(easy, data, context) : result;
}

CURLcode keybound_curl_set_seek(keybound_curl_setopt setopt, CURL *easy, keybound_curl_seek value, void *context) {
    CURLcode result = ((variadic_setopt)setopt)(easy, CURLOPT_SEEKFUNCTION, value);
    return result == CURLE_OK ? ((variadic_setopt)setopt)(easy, CURLOPT_SEEKDATA, context) : result;
}

CURLcode keybound_curl_get_long(keybound_curl_setopt getinfo, CURL *easy, CURLINFO info, long *value) {
    return ((CURLcode(*)(CURL *, CURLINFO, ...))getinfo)(easy, info, value);
}
#endif
