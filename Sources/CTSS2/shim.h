// SPDX-License-Identifier: Apache-2.0
// Types only: the libraries are loaded at run time.
#pragma once
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>
