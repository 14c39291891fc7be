// SPDX-License-Identifier: Apache-2.0

/// Huge pages that are cut into blocks of one size.
///
/// Sendable: nobody else has the addresses of the pages, and what is in blocks is not looked at while they are out.
@safe struct ReplayPages: @unchecked Sendable {
    private typealias Page = UnsafeMutablePointer<Head>

    /// What a page begins with.
    @unsafe private struct Head {
        /// The neighbours among the pages that have room.
        var next: Page?
        var previous: Page?
        /// The block that came back last; each of them begins with the address of the one before.
        var returned: UnsafeMutableRawPointer?
        /// How many blocks were ever given out.
        var touched = 0
        /// How many blocks are out.
        var taken = 0
    }

    /// The first page that has room.
    private var first: Page?
    private let blockSize: Int
    private let blocksPerPage: Int
    /// How many pages are held.
    private(set) var count = 0

    /// Begins without a page.
    ///
    /// - Parameter blockSize: The size of a block in bytes: a multiple of 16, from 64 to half a page.
    init(blockSize: Int) {
        precondition(blockSize.isMultiple(of: 16) && blockSize >= 64 && blockSize <= HugePage.size / 2)
        self.blockSize = blockSize
        // In the place of one is what the page begins with.
        blocksPerPage = HugePage.size / blockSize - 1
    }

    /// Gives out a block; anything may be in it.
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

    /// Takes a block back, and gives its page back when it was the last one and another page has room.
    mutating func giveBack(_ block: UnsafeMutableRawPointer) {
        // Pages begin at multiples of their size.
        let start = unsafe block - Int(bitPattern: block) % HugePage.size
        let page = unsafe start.assumingMemoryBound(to: Head.self)
        unsafe block.storeBytes(of: page.pointee.returned, as: UnsafeMutableRawPointer?.self)
        unsafe page.pointee.returned = block
        unsafe page.pointee.taken -= 1
        if unsafe page.pointee.taken == blocksPerPage - 1 { unsafe add(page) }
        guard unsafe page.pointee.taken == 0, unsafe first != page || page.pointee.next != nil else { return }
        unsafe deallocate(page)
    }

    /// Gives the page back that was kept, when no block is out.
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
