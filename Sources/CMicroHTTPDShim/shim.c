// SPDX-License-Identifier: Apache-2.0
// Swift cannot call variadic functions of C, which MHD_start_daemon and those for information are, and does not see the
// kernel's headers for epoll and eventfd.
#include "CMicroHTTPDShim.h"

#if defined(__linux__)
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

int keybound_open_wakeup(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

_Bool keybound_add_wakeup(struct MHD_Daemon *daemon, int wakeup) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    // With EPOLLET each write is an event, so nobody has to read. One without a pointer means to the library that it was
    // woken, nothing else.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    return info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, wakeup, &event) == 0;
}

void keybound_wake(int wakeup) {
    // Fails only after 2^64 - 2 calls.
    (void)eventfd_write(wakeup, 1);
}
#endif
