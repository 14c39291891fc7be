// SPDX-License-Identifier: Apache-2.0
// Swift cannot call variadic functions of C; these two forward to one each.
#include "CMicroHTTPDShim.h"

#if defined(__linux__)
struct MHD_Daemon *keybound_start_daemon(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                         const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

const union MHD_ConnectionInfo *keybound_connection_info(struct MHD_Connection *connection,
                                                         enum MHD_ConnectionInfoType kind) {
    return MHD_get_connection_info(connection, kind);
}
#endif
