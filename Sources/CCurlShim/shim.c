// SPDX-License-Identifier: Apache-2.0
// Swift cannot call variadic functions of C; these forward to one of them.
#include "CCurlShim.h"

#if defined(__linux__)
#include <sys/socket.h>

static curl_socket_t open_private_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode keybound_curl_set_private_sockets(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_private_socket);
}

CURLcode keybound_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode keybound_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode keybound_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode keybound_curl_set_blob(CURL *easy, CURLoption option, const struct curl_blob *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode keybound_curl_set_fields(CURL *easy, struct curl_slist *fields) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
}

CURLcode keybound_curl_set_bytes(CURL *easy, CURLoption function, keybound_curl_bytes value, CURLoption data, void *context) {
    CURLcode result = curl_easy_setopt(easy, function, value);
    return result == CURLE_OK ? curl_easy_setopt(easy, data, context) : result;
}

CURLcode keybound_curl_set_seek(CURL *easy, keybound_curl_seek value, void *context) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
    return result == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SEEKDATA, context) : result;
}
#endif
