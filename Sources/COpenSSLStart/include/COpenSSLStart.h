// SPDX-License-Identifier: Apache-2.0

// Nothing to call: what start.c does happens when the program is loaded.
