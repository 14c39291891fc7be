// SPDX-License-Identifier: Apache-2.0
// What Linux says of its clock and its file systems, which Swift's module of the C library leaves out.
#pragma once
#include <sys/timex.h>
#include <sys/vfs.h>
