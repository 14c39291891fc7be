// SPDX-License-Identifier: Apache-2.0
// What the C library of Linux says of its allocator, which Swift's module of it leaves out.
#pragma once
#include <malloc.h>
