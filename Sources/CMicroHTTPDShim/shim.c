// SPDX-License-Identifier: Apache-2.0
// Swift cannot call variadic functions of C, which MHD_start_daemon and those for information are, and does not see the
// kernel's headers for epoll and eventfd.
#define _GNU_SOURCE
#include "CMicroHTTPDShim.h"

#if defined(__linux__)
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

struct MHD_Daemon *keybound_start_daemon(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                         const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

const union MHD_ConnectionInfo *keybound_connection_info(struct MHD_Connection *connection,
                                                         enum MHD_ConnectionInfoType kind) {
    return MHD_get_connection_info(connection, kind);
}

void keybound_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
    (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

int keybound_open_wakeup(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

// With EPOLLET each event is told once, so nobody has to take it away. One without a pointer means to the library that it
// was woken, nothing else.
static _Bool add(struct MHD_Daemon *daemon, int descriptor, unsigned int flags) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET | flags, .data.ptr = NULL};
    return info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

_Bool keybound_add_wakeup(struct MHD_Daemon *daemon, int wakeup) {
    return add(daemon, wakeup, 0);
}

_Bool keybound_add_listening(struct MHD_Daemon *daemon, int listening) {
    return add(daemon, listening, EPOLLEXCLUSIVE);
}

int keybound_accept(int listening, struct sockaddr *peer, socklen_t *length) {
    return accept4(listening, peer, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

short keybound_read_hangup(void) {
    return POLLRDHUP;
}

void keybound_wake(int wakeup) {
    // Fails only after 2^64 - 2 calls.
    (void)eventfd_write(wakeup, 1);
}
#endif
