// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Blocks of one size for all shards of a store, many to a huge page.
///
/// A page goes back to the system when the last block of it has come back, unless no other one has room.
final class ReplayBlocks: Sendable {
    private let pages: Mutex<ReplayPages>

    /// Makes a pool that is empty.
    ///
    /// - Parameter blockSize: The size of a block in bytes: a multiple of 16, from 64 to half a page.
    init(blockSize: Int) {
        pages = Mutex(ReplayPages(blockSize: blockSize))
    }

    deinit {
        // Whoever has a block has the pool too, so none is out.
        pages.withLock { $0.deallocateSpare() }
    }

    /// Gives out a block; anything may be in it.
    func allocate() -> UnsafeMutableRawPointer {
        unsafe pages.withLock { pages in unsafe pages.takeBlock() }
    }

    /// Takes a block back that ``allocate()`` gave out.
    func deallocate(_ block: UnsafeMutableRawPointer) {
        pages.withLock { pages in unsafe pages.giveBack(block) }
    }
}
