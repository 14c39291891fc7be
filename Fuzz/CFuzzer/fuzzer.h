// SPDX-License-Identifier: Apache-2.0
// What libFuzzer offers to a mutator: its own way to change bytes in place. Returns the new size.
#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
