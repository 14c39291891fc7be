// SPDX-License-Identifier: Apache-2.0
// Declarations of Darwin for type-checking only.
#pragma once

struct timespec {
    long tv_sec;
    long tv_nsec;
};

typedef enum {
    _CLOCK_REALTIME __attribute__((swift_name("CLOCK_REALTIME"))) = 0
#define CLOCK_REALTIME _CLOCK_REALTIME
} clockid_t;

int clock_gettime(clockid_t clock_id, struct timespec *tp)
    __attribute__((availability(ios, introduced = 10.0))) __attribute__((availability(macos, introduced = 10.12)));
