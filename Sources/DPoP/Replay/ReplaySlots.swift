// SPDX-License-Identifier: Apache-2.0

/// Slots in the order of the hashes that belong in them.
///
/// Blocks are allocated only where there are entries.
///
/// An entry is in the slot of its hash, or in the first free one after it (linear probing). The table extends beyond
/// the last slot as far as that needs.
@safe
struct ReplaySlots<Entry: ReplayEntry>: ~Copyable {
    /// The location of an entry, or of a new one.
    struct Place {
        let slot: Int
        let isTaken: Bool
    }

    private typealias Block = UnsafeMutablePointer<Entry>

    private static var largestBlockBits: Int { 9 }
    /// The largest size of a block in bytes, for large tables: at most 8 KiB.
    static var largestBlockSize: Int { MemoryLayout<Entry>.stride << largestBlockBits }

    /// The number of slots that hashes map to.
    let capacity: Int
    /// The number of slots that were ever used.
    private(set) var used = 0
    /// A block has 2^blockBits slots: 16 to 512.
    private let blockBits: Int
    /// Masks the index of a slot within its block.
    private let blockMask: Int
    /// A manual buffer: with an array, each access to a block would count references.
    ///
    /// All slots of a block are initialized, and no other object has its address.
    private var blocks: UnsafeMutablePointer<Block?>
    private var blockCount: Int
    private var heldBlocks = 0
    /// Allocates blocks of the largest size.
    private let memory: ReplayBlocks

    /// Creates empty slots.
    ///
    /// - Parameters:
    ///   - capacity: The number of slots; less than 2^32.
    ///   - memory: Allocates blocks of the largest size.
    init(capacity: Int, in memory: ReplayBlocks) {
        self.capacity = capacity
        self.memory = memory
        blockBits = min(Self.largestBlockBits, max(4, Int.bitWidth - capacity.leadingZeroBitCount - 5))
        blockMask = 1 << blockBits - 1
        blockCount = (capacity + blockMask) >> blockBits
        unsafe blocks = .allocate(capacity: blockCount)
        unsafe blocks.initialize(repeating: nil, count: blockCount)
    }

    deinit {
        for index in 0..<blockCount {
            if let block = unsafe blocks[index] { unsafe deallocate(block) }
        }
        unsafe blocks.deallocate()
    }

    /// The index after the last slot that an entry can be in.
    var end: Int { blockCount &<< blockBits }

    /// The allocated memory, in bytes.
    var byteCount: Int {
        unsafe heldBlocks * (blockMask + 1) * MemoryLayout<Entry>.stride + blockCount * MemoryLayout<Block?>.stride
    }

    /// The slot of a hash; a larger hash maps to a later slot.
    @inline(__always)
    func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
    }

    /// Visits all valid entries with a hash.
    ///
    /// - Parameters:
    ///   - hash: The hash.
    ///   - now: The first minute that has not passed.
    ///   - isWanted: Called with each of these entries; returns whether it is the wanted one. At most one is.
    /// - Returns: The location of the wanted entry, or of a new one.
    @inline(__always)
    func place(of hash: UInt64, at now: UInt32, where isWanted: (Entry) -> Bool) -> Place {
        var free = -1
        var wanted = -1
        var slot = home(of: hash)
        // No entry lies beyond a slot that was never used, and the slot after the last one never was.
        search: while let block = unsafe block(of: slot) {
            repeat {
                let entry = unsafe block[slot & blockMask]
                if entry.minute < now {
                    if free < 0 { free = slot }
                    if entry.minute == 0 { break search }
                } else if entry.hash == hash, isWanted(entry) {
                    wanted = slot
                }
                slot &+= 1
            } while slot & blockMask != 0
        }
        if wanted >= 0 { return Place(slot: wanted, isTaken: true) }
        return Place(slot: free >= 0 ? free : slot, isTaken: false)
    }

    /// Puts an entry into a slot, and replaces an expired one.
    @inline(__always)
    mutating func put(_ entry: Entry, in slot: Int) {
        let place = unsafe (block(of: slot) ?? addBlock(of: slot)) + (slot & blockMask)
        if unsafe place.pointee.minute == 0 { used &+= 1 }
        unsafe place.pointee = entry
    }

    /// Changes the entry of a slot.
    ///
    /// Its hash and minute must stay the same.
    @inline(__always)
    func update(_ slot: Int, _ change: (inout Entry) -> Void) {
        if let block = unsafe block(of: slot) { change(&(unsafe block[slot & blockMask])) }
    }

    /// Moves valid entries to other slots, and frees the memory that they were in.
    ///
    /// - Parameters:
    ///   - start: The first slot whose entries have not moved yet.
    ///   - count: The minimum number of slots to move.
    ///   - target: The new slots of the entries.
    ///   - now: The first minute that has not passed.
    /// - Returns: The index after a slot that was never used. Exactly the entries that belong before it have moved.
    mutating func move(from start: Int, atLeast count: Int, to target: inout ReplaySlots, at now: UInt32) -> Int {
        let (end, enough) = (end, start + count)
        var slot = start
        search: while slot < end {
            guard let block = unsafe block(of: slot) else {
                slot = (slot | blockMask) &+ 1
                if slot < enough { continue search } else { break search }
            }
            repeat {
                let entry = unsafe block[slot & blockMask]
                slot &+= 1
                if entry.minute >= now {
                    target.add(entry, at: now)
                } else if entry.minute == 0, slot >= enough {
                    break search
                }
            } while slot & blockMask != 0
        }
        for index in start >> blockBits..<slot >> blockBits { removeBlock(index) }
        return slot
    }

    /// Puts a new entry into the first free slot for it.
    @inline(__always)
    private mutating func add(_ entry: Entry, at now: UInt32) {
        var slot = home(of: entry.hash)
        while let block = unsafe block(of: slot), unsafe block[slot & blockMask].minute >= now { slot &+= 1 }
        put(entry, in: slot)
    }

    @inline(__always)
    private func block(of slot: Int) -> Block? {
        let index = slot &>> blockBits
        return unsafe index < blockCount ? blocks[index] : nil
    }

    @inline(never)
    private mutating func addBlock(of slot: Int) -> Block {
        let index = slot &>> blockBits
        if index >= blockCount { lengthen(to: index + 1) }
        let block = unsafe allocateBlock()
        unsafe block.initialize(repeating: .none, count: blockMask + 1)
        unsafe blocks[index] = block
        heldBlocks += 1
        return unsafe block
    }

    /// Extends the table beyond the last slot that hashes map to.
    private mutating func lengthen(to count: Int) {
        let longer = UnsafeMutablePointer<Block?>.allocate(capacity: count)
        unsafe longer.initialize(from: blocks, count: blockCount)
        unsafe (longer + blockCount).initialize(repeating: nil, count: count - blockCount)
        unsafe blocks.deallocate()
        unsafe blocks = longer
        blockCount = count
    }

    private mutating func removeBlock(_ index: Int) {
        guard let block = unsafe blocks[index] else { return }
        unsafe deallocate(block)
        unsafe blocks[index] = nil
        heldBlocks -= 1
    }

    private func allocateBlock() -> Block {
        guard blockBits == Self.largestBlockBits else { return .allocate(capacity: blockMask + 1) }
        return unsafe memory.allocate().bindMemory(to: Entry.self, capacity: blockMask + 1)
    }

    private func deallocate(_ block: Block) {
        if blockBits == Self.largestBlockBits { unsafe memory.deallocate(block) } else { unsafe block.deallocate() }
    }
}
