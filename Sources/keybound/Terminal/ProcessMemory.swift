// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import CMalloc
import Glibc

/// How this process gets its memory from the system.
enum ProcessMemory {
    /// Lets threads share pools of memory: two for each processor, in place of the eight of the C library.
    ///
    /// Each pool keeps what was once needed at a peak. More pools than threads that run at a time make nothing faster. Pools that
    /// are there stay, so it is for the start of a process.
    static func sharePools() {
        _ = mallopt(M_ARENA_MAX, CInt(clamping: 2 * max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)))
    }
}
#endif
