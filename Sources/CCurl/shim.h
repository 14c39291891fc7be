// SPDX-License-Identifier: Apache-2.0
// Types and constants only: the library is loaded with the first request.
#pragma once
#include <curl/curl.h>

// The types of the functions, so that what is looked up by name is called as the header says.
#define KEYBOUND_FUNCTION(name) typedef __typeof__(&name) name##_function;
KEYBOUND_FUNCTION(curl_global_init)
KEYBOUND_FUNCTION(curl_version_info)
KEYBOUND_FUNCTION(curl_easy_init)
KEYBOUND_FUNCTION(curl_easy_cleanup)
KEYBOUND_FUNCTION(curl_easy_pause)
KEYBOUND_FUNCTION(curl_easy_strerror)
KEYBOUND_FUNCTION(curl_slist_append)
KEYBOUND_FUNCTION(curl_slist_free_all)
KEYBOUND_FUNCTION(curl_multi_init)
KEYBOUND_FUNCTION(curl_multi_cleanup)
KEYBOUND_FUNCTION(curl_multi_add_handle)
KEYBOUND_FUNCTION(curl_multi_remove_handle)
KEYBOUND_FUNCTION(curl_multi_perform)
KEYBOUND_FUNCTION(curl_multi_info_read)
KEYBOUND_FUNCTION(curl_multi_poll)
KEYBOUND_FUNCTION(curl_multi_wakeup)
#undef KEYBOUND_FUNCTION
