// SPDX-License-Identifier: Apache-2.0

/// Slots in the order of the hashes that belong into them, in blocks that are there only where there are entries.
///
/// An entry is in the slot where its hash belongs, or in the first after it that was free (linear probing). Behind the last
/// slot there are as many as that needs.
@safe
struct ReplaySlots<Entry: ReplayEntry>: ~Copyable {
    /// Where an entry is, or where it would be.
    struct Place {
        let slot: Int
        /// Whether there is an entry.
        let isTaken: Bool
    }

    private typealias Block = UnsafeMutablePointer<Entry>

    private static var largestBlockBits: Int { 9 }
    /// The size of the blocks of large tables, in bytes: 8 KiB at most.
    static var largestBlockSize: Int { MemoryLayout<Entry>.stride << largestBlockBits }

    /// How many slots hashes belong into.
    let capacity: Int
    /// How many slots were ever filled.
    private(set) var used = 0
    /// A block has 2^blockBits slots: 16 to 512.
    private let blockBits: Int
    /// The place of a slot in its block.
    private let blockMask: Int
    /// A list of our own: in an array, each use of a block would count references up and down.
    ///
    /// All slots of a block are initialised, and nobody else has its address.
    private var blocks: UnsafeMutablePointer<Block?>
    private var blockCount: Int
    private var heldBlocks = 0
    /// Where blocks of the largest size are from.
    private let memory: ReplayBlocks

    /// Makes slots that are all empty.
    ///
    /// - Parameters:
    ///   - capacity: How many; less than 2^32.
    ///   - memory: Where blocks of the largest size are from.
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

    /// The number behind the last slot that an entry can be in.
    var end: Int { blockCount &<< blockBits }

    /// The memory that is held, in bytes.
    var byteCount: Int {
        unsafe heldBlocks * (blockMask + 1) * MemoryLayout<Entry>.stride + blockCount * MemoryLayout<Block?>.stride
    }

    /// Where a hash belongs: the larger the hash, the later.
    @inline(__always)
    func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
    }

    /// Goes by all entries with a hash that count.
    ///
    /// - Parameters:
    ///   - hash: The hash.
    ///   - now: The first minute that counts.
    ///   - isWanted: Called with each of these entries; whether it is the one to be found, of which there is at most one.
    /// - Returns: The place of the one to be found, or that of a new entry.
    @inline(__always)
    func place(of hash: UInt64, at now: UInt32, where isWanted: (Entry) -> Bool) -> Place {
        var free = -1
        var wanted = -1
        var slot = home(of: hash)
        // Nothing is beyond a slot that was never filled, and behind the last one none was.
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

    /// Puts an entry into a slot, in the place of one that is past.
    @inline(__always)
    mutating func put(_ entry: Entry, in slot: Int) {
        let place = unsafe (block(of: slot) ?? addBlock(of: slot)) + (slot & blockMask)
        if unsafe place.pointee.minute == 0 { used &+= 1 }
        unsafe place.pointee = entry
    }

    /// Changes the entry of a slot; its hash and minute stay as they are.
    @inline(__always)
    func update(_ slot: Int, _ change: (inout Entry) -> Void) {
        if let block = unsafe block(of: slot) { change(&(unsafe block[slot & blockMask])) }
    }

    /// Moves entries to other slots, those that count, and gives back the memory that they were in.
    ///
    /// - Parameters:
    ///   - start: The first slot whose entries have not moved yet.
    ///   - count: How many slots to leave behind at least.
    ///   - target: Where the entries belong now.
    ///   - now: The first minute that counts.
    /// - Returns: A slot behind one that was never filled: what belongs before it has moved, and nothing else.
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

    /// Puts an entry that is not there yet into the first slot that is free for it.
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

    /// Makes room for entries behind the last slot that a hash belongs into.
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
