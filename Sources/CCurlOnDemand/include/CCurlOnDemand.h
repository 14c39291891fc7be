// SPDX-License-Identifier: Apache-2.0
// What on_demand.c defines is declared in the header of libcurl.
#pragma once
