// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Allocates blocks of one size from huge pages, for all shards of a store.
///
/// A page is freed when its last block is returned, unless it is the only page with free blocks.
final class ReplayBlocks: Sendable {
    private let pages: Mutex<ReplayPages>

    /// Creates an empty pool.
    ///
    /// - Parameter blockSize: The size of a block in bytes: a multiple of 16, from 64 to half a page.
    init(blockSize: Int) {
        pages = Mutex(ReplayPages(blockSize: blockSize))
    }

    deinit {
        // A block keeps a reference to the pool, so all blocks have been returned.
        pages.withLock { $0.deallocateSpare() }
    }

    /// Allocates an uninitialized block.
    func allocate() -> UnsafeMutableRawPointer {
        unsafe pages.withLock { pages in unsafe pages.takeBlock() }
    }

    /// Returns a block of ``allocate()``.
    func deallocate(_ block: UnsafeMutableRawPointer) {
        pages.withLock { pages in unsafe pages.giveBack(block) }
    }
}
