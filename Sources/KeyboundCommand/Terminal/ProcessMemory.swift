// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import CMalloc
import Glibc

/// The memory allocation of this process.
enum ProcessMemory {
    /// Makes threads share memory pools: two for each processor, instead of the C library's eight.
    ///
    /// Each pool keeps its peak size. More pools than concurrently running threads bring no speed. Existing pools stay,
    /// so call this at the start of the process.
    static func sharePools() {
        _ = mallopt(M_ARENA_MAX, CInt(clamping: 2 * max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)))
    }
}
#endif
