// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Loads libpq.
///
/// Call it, and get a null pointer, before any function of libpq.
///
/// @return The message of the loader if libpq cannot be loaded; otherwise a null pointer.
const char *postgresql_load_problem(void);
