// SPDX-License-Identifier: Apache-2.0

/// The tokens of a text while it is read: in memory that the caller lends, and in memory of its own once they are many.
///
/// Safe although it holds a pointer: the scanner, which alone uses it, lives inside the call that lends the memory, and asks
/// for no token but those that it appended.
@safe
struct JSONTokenList: ~Copyable {
    /// More than a proof has; one kilobyte.
    static let lentCount = 64

    private var memory: UnsafeMutableBufferPointer<JSONToken>
    private var isOwn = false
    private(set) var count = 0

    init(lent memory: UnsafeMutableBufferPointer<JSONToken>) {
        unsafe self.memory = memory
    }

    deinit {
        if isOwn { unsafe memory.deallocate() }
    }

    /// The tokens so far.
    var tokens: UnsafeBufferPointer<JSONToken> { unsafe UnsafeBufferPointer(rebasing: memory[..<count]) }

    subscript(index: Int) -> JSONToken {
        get { unsafe memory[index] }
        set { unsafe memory[index] = newValue }
    }

    mutating func append(_ token: JSONToken) {
        if unsafe count == memory.count { grow() }
        unsafe memory.initializeElement(at: count, to: token)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = unsafe UnsafeMutableBufferPointer<JSONToken>.allocate(capacity: 2 * memory.count)
        _ = unsafe larger.moveInitialize(fromContentsOf: memory)
        if isOwn { unsafe memory.deallocate() }
        unsafe memory = larger
        isOwn = true
    }
}
