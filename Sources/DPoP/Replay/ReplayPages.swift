// SPDX-License-Identifier: Apache-2.0

/// Huge pages, divided into blocks of one size.
///
/// Sendable: no other object has the addresses of the pages, and an allocated block belongs to its caller alone.
@safe struct ReplayPages: @unchecked Sendable {
    private typealias Page = UnsafeMutablePointer<Head>

    /// The header at the start of a page.
    @unsafe private struct Head {
        /// The neighbors in the list of pages with free blocks.
        var next: Page?
        var previous: Page?
        /// The block returned last.
        ///
        /// Each returned block starts with the address of the one before.
        var returned: UnsafeMutableRawPointer?
        /// The number of blocks that were ever allocated.
        var touched = 0
        /// The number of blocks in use.
        var taken = 0
    }

    /// The first page with free blocks.
    private var first: Page?
    private let blockSize: Int
    private let blocksPerPage: Int
    /// The number of allocated pages.
    private(set) var count = 0

    /// Creates an allocator without pages.
    ///
    /// - Parameter blockSize: The size of a block in bytes: a multiple of 16, from 64 to half a page.
    init(blockSize: Int) {
        precondition(blockSize.isMultiple(of: 16) && blockSize >= 64 && blockSize <= HugePage.size / 2)
        self.blockSize = blockSize
        // The header takes the space of one block.
        blocksPerPage = HugePage.size / blockSize - 1
    }

    /// Allocates an uninitialized block.
    mutating func takeBlock() -> UnsafeMutableRawPointer {
        let page = unsafe first ?? addPage()
        unsafe page.pointee.taken += 1
        if unsafe page.pointee.taken == blocksPerPage { unsafe remove(page) }
        if let block = unsafe page.pointee.returned {
            unsafe page.pointee.returned = block.load(as: UnsafeMutableRawPointer?.self)
            return unsafe block
        }
        unsafe page.pointee.touched += 1
        return unsafe UnsafeMutableRawPointer(page) + page.pointee.touched * blockSize
    }

    /// Returns a block.
    ///
    /// Frees its page if no block of it is in use and another page has free blocks.
    mutating func giveBack(_ block: UnsafeMutableRawPointer) {
        // Pages are aligned to their size.
        let start = unsafe block - Int(bitPattern: block) % HugePage.size
        let page = unsafe start.assumingMemoryBound(to: Head.self)
        unsafe block.storeBytes(of: page.pointee.returned, as: UnsafeMutableRawPointer?.self)
        unsafe page.pointee.returned = block
        unsafe page.pointee.taken -= 1
        if unsafe page.pointee.taken == blocksPerPage - 1 { unsafe add(page) }
        guard unsafe page.pointee.taken == 0, unsafe first != page || page.pointee.next != nil else { return }
        unsafe deallocate(page)
    }

    /// Frees the last page, if none of its blocks is in use.
    mutating func deallocateSpare() {
        guard let page = unsafe first else { return }
        unsafe deallocate(page)
    }

    private mutating func addPage() -> Page {
        let page = unsafe HugePage.allocate().bindMemory(to: Head.self, capacity: 1)
        unsafe page.initialize(to: Head())
        unsafe add(page)
        count += 1
        return unsafe page
    }

    private mutating func deallocate(_ page: Page) {
        unsafe remove(page)
        unsafe HugePage.deallocate(page)
        count -= 1
    }

    private mutating func add(_ page: Page) {
        unsafe page.pointee.next = first
        unsafe first?.pointee.previous = page
        unsafe first = page
    }

    private mutating func remove(_ page: Page) {
        let (next, previous) = unsafe (page.pointee.next, page.pointee.previous)
        unsafe next?.pointee.previous = previous
        if let previous = unsafe previous { unsafe previous.pointee.next = next } else { unsafe first = next }
        unsafe (page.pointee.next, page.pointee.previous) = (nil, nil)
    }
}
