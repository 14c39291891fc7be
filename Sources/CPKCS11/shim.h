// SPDX-License-Identifier: Apache-2.0
// Types only: the module of a token is loaded at run time.
#pragma once
#include <p11-kit-1/p11-kit/pkcs11.h>
