// SPDX-License-Identifier: Apache-2.0
// Types only: the library is loaded at run time.
#pragma once
#include <hiredis/hiredis.h>

// The types of the functions, so that what is looked up by name is called as the headers say.
#define KEYBOUND_FUNCTION(name) typedef __typeof__(&name) name##_Function;
KEYBOUND_FUNCTION(redisConnectWithTimeout)
KEYBOUND_FUNCTION(redisConnectUnixWithTimeout)
KEYBOUND_FUNCTION(redisSetTimeout)
KEYBOUND_FUNCTION(redisAppendCommandArgv)
KEYBOUND_FUNCTION(redisGetReply)
KEYBOUND_FUNCTION(freeReplyObject)
KEYBOUND_FUNCTION(redisFree)
#undef KEYBOUND_FUNCTION
