// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif
#endif

/// Memory of 2 MiB that the processor finds with one entry of its tables, where the system has such.
///
/// In pages of 4 KiB, finding out where a place among many lies takes as long as reading it.
enum HugePage {
    /// The size, and what the address is a multiple of.
    static var size: Int { 2 << 20 }

    /// Takes memory, in which anything may be; the process ends when there is none, as with all memory in Swift.
    static func allocate() -> UnsafeMutableRawPointer {
        #if os(Linux)
        let mapped = unsafe mmap(nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // Without memory Swift's own allocations end the process too; an insertion has no way to fail for it.
        guard let start = unsafe mapped, unsafe start != MAP_FAILED else { fatalError("out of memory") }
        // A mapping begins anywhere; what is not in the one whole page of it goes back.
        let before = -Int(bitPattern: start) & (size - 1)
        let page = unsafe start + before
        if before > 0 { unsafe munmap(start, before) }
        unsafe munmap(page + size, size - before)
        // Refused where there are no huge pages; the memory is there all the same.
        unsafe madvise(page, size, MADV_HUGEPAGE)
        return unsafe page
        #else
        return .allocate(byteCount: size, alignment: size)
        #endif
    }

    /// Gives memory back that ``allocate()`` gave out.
    static func deallocate(_ page: UnsafeMutableRawPointer) {
        #if os(Linux)
        unsafe munmap(page, size)
        #else
        unsafe page.deallocate()
        #endif
    }
}
