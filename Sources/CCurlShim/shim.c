// SPDX-License-Identifier: Apache-2.0
// Swift cannot call variadic functions of C; these forward to one of them, which was looked up by name.
#include "CCurlShim.h"

#if defined(__linux__)
#include <netinet/in.h>
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

// curl_sockaddr has room for any address, whatever the type of its last member says.
static curl_socket_t open_permitted_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    struct keybound_curl_gate *gate = context;
    int permitted = 0;
    if (address->family == AF_INET) {
        const struct sockaddr_in *inet = (const struct sockaddr_in *)&address->addr;
        permitted = gate->permits(gate->context, (const unsigned char *)&inet->sin_addr, sizeof inet->sin_addr);
    } else if (address->family == AF_INET6) {
        const struct sockaddr_in6 *inet6 = (const struct sockaddr_in6 *)&address->addr;
        permitted = gate->permits(gate->context, (const unsigned char *)&inet6->sin6_addr, sizeof inet6->sin6_addr);
    }
    return permitted ? open_private_socket(NULL, purpose, address) : CURL_SOCKET_BAD;
}

CURLcode keybound_curl_set_gate(keybound_curl_setopt setopt, CURL *easy, struct keybound_curl_gate *gate) {
    curl_opensocket_callback value = open_permitted_socket;
    CURLcode result = ((variadic_setopt)setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
    return result == CURLE_OK ? ((variadic_setopt)setopt)(easy, CURLOPT_OPENSOCKETDATA, gate) : result;
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

CURLcode keybound_curl_get_certificates(keybound_curl_setopt getinfo, CURL *easy, struct curl_certinfo **value) {
    return ((CURLcode(*)(CURL *, CURLINFO, ...))getinfo)(easy, CURLINFO_CERTINFO, value);
}
#endif
