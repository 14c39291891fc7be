// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__linux__)
#include <microhttpd.h>

/// MHD_start_daemon with its options as an array, which ends with MHD_OPTION_END.
struct MHD_Daemon *keybound_start_daemon(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                         const struct MHD_OptionItem *options);

/// MHD_get_connection_info for the kinds of information that need no argument.
const union MHD_ConnectionInfo *keybound_connection_info(struct MHD_Connection *connection,
                                                         enum MHD_ConnectionInfoType kind);

/// Gives a connection a timeout of its own, at most a day; 0 for none. Only inside a callback of that connection.
void keybound_set_timeout(struct MHD_Connection *connection, unsigned int seconds);

/// A descriptor for keybound_add_wakeup and keybound_wake, to be closed by the caller; -1 when the system has none to give.
int keybound_open_wakeup(void);

/// From now on, each keybound_wake has a thread return that waits in MHD_run_wait for this daemon.
///
/// Returns whether the system had memory for it.
_Bool keybound_add_wakeup(struct MHD_Daemon *daemon, int wakeup);

/// From now on, a thread returns that waits in MHD_run_wait for this daemon when there is something to accept.
///
/// It is told once, and of several daemons with the same socket one that waits: whoever is told accepts all there is. Returns
/// whether the system had memory for it.
_Bool keybound_add_listening(struct MHD_Daemon *daemon, int listening);

/// accept4 for a connection that does not block and is not passed on to child processes.
int keybound_accept(int listening, struct sockaddr *peer, socklen_t *length);

/// The event of poll(2) for a peer that has closed its side.
short keybound_read_hangup(void);

/// Any thread may call it.
void keybound_wake(int wakeup);
#endif
