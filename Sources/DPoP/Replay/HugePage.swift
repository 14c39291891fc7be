// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif
#endif

/// A memory page of 2 MiB, which needs one entry of the processor's page tables, if the system supports it.
///
/// With pages of 4 KiB, translating a random address takes as long as reading it.
enum HugePage {
    /// The size in bytes, and the alignment of the address.
    static var size: Int { 2 << 20 }

    /// Allocates uninitialized memory.
    ///
    /// Without memory the process ends, as for every allocation in Swift.
    static func allocate() -> UnsafeMutableRawPointer {
        #if os(Linux)
        let mapped = unsafe mmap(nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // Swift's own allocations end the process too; an insertion cannot report the failure.
        guard let start = unsafe mapped, unsafe start != MAP_FAILED else { fatalError("out of memory") }
        // A mapping may start at any address: the parts around its one aligned page are unmapped.
        let before = -Int(bitPattern: start) & (size - 1)
        let page = unsafe start + before
        if before > 0 { unsafe munmap(start, before) }
        unsafe munmap(page + size, size - before)
        // Fails if the system has no huge pages; the memory is usable all the same.
        unsafe madvise(page, size, MADV_HUGEPAGE)
        return unsafe page
        #else
        return .allocate(byteCount: size, alignment: size)
        #endif
    }

    /// Frees memory of ``allocate()``.
    static func deallocate(_ page: UnsafeMutableRawPointer) {
        #if os(Linux)
        unsafe munmap(page, size)
        #else
        unsafe page.deallocate()
        #endif
    }
}
