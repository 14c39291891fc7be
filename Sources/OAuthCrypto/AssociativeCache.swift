// SPDX-License-Identifier: Apache-2.0

/// What was used lately, found by a number that belongs to it: as much as there is room for, whoever comes.
///
/// Each number has four places. Who finds all of them taken gets that of another one, of each in turn: so whoever makes others
/// lose theirs only makes them start anew.
@usableFromInline package struct AssociativeCache<Value> {
    @usableFromInline
    struct Place {
        @usableFromInline
        var number: UInt64
        @usableFromInline
        var value: Value?

        @inlinable
        init(number: UInt64, value: Value?) { (self.number, self.value) = (number, value) }
    }

    @inlinable
    static var choices: Int { 4 }

    @usableFromInline
    var places: [Place]
    @usableFromInline
    var turn = 0

    /// Makes an empty table.
    ///
    /// - Parameter capacity: How many values there is room for: a power of two, at least 4.
    @inlinable
    package init(capacity: Int) {
        precondition(capacity >= Self.choices && capacity.nonzeroBitCount == 1)
        places = [Place](repeating: Place(number: 0, value: nil), count: capacity)
    }

    /// The value of a number, which stays.
    ///
    /// - Parameter number: The number.
    /// - Returns: The value, or another one with the same number; `nil` when there was none lately.
    @inlinable
    package func value(of number: UInt64) -> Value? {
        index(of: number) { _ in true }.flatMap { places[$0].value }
    }

    /// Takes the value of a number out.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - isWanted: Whether a value of this number is the one; several may have the same.
    /// - Returns: The value; `nil` when it was not used lately, or somebody has taken it.
    @inlinable
    package mutating func take(_ number: UInt64, where isWanted: (Value) -> Bool) -> Value? {
        index(of: number, where: isWanted).flatMap { places[$0].value.take() }
    }

    /// Puts a value in.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - number: Its number, of which any bits may be the same as in others.
    /// - Returns: The value that lost its place; `nil` when there was a free one.
    @inlinable
    package mutating func put(_ value: Value, _ number: UInt64) -> Value? {
        let first = firstPlace(of: number)
        let free = (first..<first + Self.choices).first { places[$0].value == nil }
        if free == nil { turn = (turn + 1) % Self.choices }
        let index = free ?? first + turn
        let other = places[index].value
        places[index] = Place(number: number, value: value)
        return other
    }

    @inlinable
    func index(of number: UInt64, where isWanted: (Value) -> Bool) -> Int? {
        let first = firstPlace(of: number)
        for index in first..<first + Self.choices where places[index].number == number {
            if let value = places[index].value, isWanted(value) { return index }
        }
        return nil
    }

    /// The uppermost bits of a product depend on all bits of a number.
    @inlinable
    func firstPlace(of number: UInt64) -> Int {
        let sets = UInt64(places.count / Self.choices)
        let upper = (number &* 0x9E37_79B9_7F4A_7C15) >> UInt64(sets.leadingZeroBitCount + 1)
        return Int(upper) * Self.choices
    }
}
