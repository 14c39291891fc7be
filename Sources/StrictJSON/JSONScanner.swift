// SPDX-License-Identifier: Apache-2.0

/// Scans one JSON text in a single pass; see ``JSONValue`` for what it rejects.
///
/// The result is a list of tokens. Every rule is checked here, so code that reads the tokens need not check any.
///
/// Safe although it holds a pointer: it exists only inside ``document(of:limits:)``, while the text does. Zeros follow
/// the text and end every token, so the scanner needs no bounds checks: no token continues after a zero.
@safe
struct JSONScanner: ~Copyable {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let size: Int
    private let limits: JSONLimits
    private var index = 0
    private var depth = 0
    private var tokens: JSONTokenList

    /// Scans a text.
    static func document(of text: Span<UInt8>, limits: JSONLimits) throws(StrictJSONError) -> JSONDocument {
        // Tokens store offsets in 32 bits.
        let maximumSize = min(limits.maximumSize, Int(Int32.max))
        guard text.count <= maximumSize else {
            throw StrictJSONError(.tooLarge, "the text is longer than \(maximumSize) bytes")
        }
        return try unsafe JSONStringScanner.withPadded(text) { bytes throws(StrictJSONError) in
            try unsafe withUnsafeTemporaryAllocation(
                of: JSONToken.self,
                capacity: JSONTokenList.lentCount
            ) { memory throws(StrictJSONError) in
                var scanner = unsafe JSONScanner(bytes, text.count, limits, JSONTokenList(lent: memory))
                try scanner.scanDocument()
                return unsafe JSONDocument(scanner.tokens.tokens, padded: bytes)
            }
        }
    }

    private init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ size: Int,
        _ limits: JSONLimits,
        _ tokens: consuming JSONTokenList
    ) {
        unsafe self.bytes = bytes
        self.size = size
        self.limits = limits
        self.tokens = tokens
    }

    private mutating func scanDocument() throws(StrictJSONError) {
        try scanValue()
        skipWhiteSpace()
        guard index == size else { throw failure("something follows the value") }
    }

    private mutating func scanValue() throws(StrictJSONError) {
        skipWhiteSpace()
        switch peek() {
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "{"): try scanObject()
        case UInt8(ascii: "["): try scanArray()
        case UInt8(ascii: "t"): try scanWord("true", .true)
        case UInt8(ascii: "f"): try scanWord("false", .false)
        case UInt8(ascii: "n"): try scanWord("null", .null)
        default: try scanNumber()
        }
    }

    private mutating func scanObject() throws(StrictJSONError) {
        let object = try enter(.object)
        var names = NameBloomFilter()
        if !take(UInt8(ascii: "}")) {
            repeat {
                skipWhiteSpace()
                guard peek() == UInt8(ascii: "\"") else { throw failure("a member name was expected") }
                try scanString()
                noteName(in: &names)
                guard take(UInt8(ascii: ":")) else { throw failure("a colon was expected") }
                // Most values are strings, and need no further call.
                if peek() == UInt8(ascii: "\"") { try scanString() } else { try scanValue() }
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { throw failure("a comma or a closing brace was expected") }
        }
        leave(object)
        guard !names.mayRepeat || hasUniqueNames(object) else { throw failure("a member name occurs twice") }
    }

    /// Records the name that was scanned last.
    ///
    /// Inlined: a call would copy the scanner, although it does not change it.
    @inline(__always)
    private mutating func noteName(in names: inout NameBloomFilter) {
        let token = tokens[tokens.count - 1]
        guard token.kind == .string, token.count > 0 else { return names.noteAny() }
        unsafe names.note(first: bytes[Int(token.start)], last: bytes[Int(token.end) - 1], count: token.count)
    }

    private mutating func scanArray() throws(StrictJSONError) {
        let array = try enter(.array)
        if !take(UInt8(ascii: "]")) {
            repeat {
                try scanValue()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else { throw failure("a comma or a closing bracket was expected") }
        }
        leave(array)
    }

    /// Skips the opening brace or bracket; returns the index of the token.
    private mutating func enter(_ kind: JSONToken.Kind) throws(StrictJSONError) -> Int {
        depth += 1
        guard depth <= limits.maximumDepth else { throw failure("it is nested more than \(limits.maximumDepth) deep") }
        append(kind, from: index, to: index)
        index += 1
        return tokens.count - 1
    }

    private mutating func leave(_ token: Int) {
        depth -= 1
        tokens[token].end = UInt32(truncatingIfNeeded: index)
        tokens[token].next = UInt32(truncatingIfNeeded: tokens.count)
    }

    private mutating func append(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
        tokens.append(
            JSONToken(
                kind: kind,
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: tokens.count &+ 1)
            )
        )
    }

    private mutating func scanWord(_ word: StaticString, _ kind: JSONToken.Kind) throws(StrictJSONError) {
        let count = word.utf8CodeUnitCount
        for offset in 0..<count where unsafe bytes[index + offset] != word.utf8Start[offset] {
            throw failure("a value was expected")
        }
        append(kind, from: index, to: index + count)
        index += count
    }

    private mutating func scanNumber() throws(StrictJSONError) {
        let start = index
        if peek() == UInt8(ascii: "-") { index += 1 }
        if peek() == UInt8(ascii: "0") { index += 1 } else { try scanDigits() }
        if peek() == UInt8(ascii: ".") {
            index += 1
            try scanDigits()
        }
        var isShortInteger = index - start < 300
        if peek() | 0x20 == UInt8(ascii: "e") {
            isShortInteger = false
            index += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { index += 1 }
            try scanDigits()
        }
        guard index - start <= limits.maximumNumberLength else { throw failure("a number is too long") }
        // Without an exponent, a number needs more than 300 digits to exceed a floating-point value.
        guard isShortInteger || number(from: start).isFinite else { throw failure("a number is too large") }
        append(.number, from: start, to: index)
    }

    private func number(from start: Int) -> Double {
        JSONNumber(literal: unsafe String(decoding: piece(start, index), as: UTF8.self)).double
    }

    private mutating func scanDigits() throws(StrictJSONError) {
        let start = index
        while peek() &- UInt8(ascii: "0") <= 9 { index += 1 }
        guard index > start else { throw failure("a value or digit was expected") }
    }

    /// Inlined, so that the index stays in a register between a name and its value.
    ///
    /// This determines the total time.
    @inline(__always)
    private mutating func scanString() throws(StrictJSONError) {
        let start = index &+ 1
        index = unsafe JSONStringScanner.end(inPadded: bytes, from: start)
        // Nearly all strings end here.
        guard peek() == UInt8(ascii: "\"") else { return try scanRest(ofStringFrom: start) }
        append(.string, from: start, to: index)
        index &+= 1
    }

    /// Continues where a string contains anything but plain text.
    @inline(never)
    private mutating func scanRest(ofStringFrom start: Int) throws(StrictJSONError) {
        var isASCII = true
        var isEscaped = false
        while true {
            guard index < size else { throw failure("a string has no end") }
            let byte = peek()
            if byte == UInt8(ascii: "\"") { break }
            if byte >= 0x80 {
                isASCII = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
                // The escaped character may be a quote. It is checked with the whole string.
                index += 1
                guard peek() >= 0x20 else { throw failure("an escape is unknown") }
            } else {
                throw failure("a control character stands in a string")
            }
            index = unsafe JSONStringScanner.end(inPadded: bytes, from: index + 1)
        }
        guard unsafe isASCII || String(validating: piece(start, index), as: UTF8.self) != nil else {
            throw failure("a string is not UTF-8")
        }
        guard unsafe !isEscaped || JSONEscape.unescaped(Array(piece(start, index))[...]) != nil else {
            throw failure("an escape is wrong")
        }
        append(isEscaped ? .escapedString : .string, from: start, to: index)
        index += 1
    }

    /// The next byte; zero after the last one.
    @inline(__always)
    private func peek() -> UInt8 {
        unsafe bytes[index]
    }

    private func piece(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// Skips white space, and then one given byte if it is next.
    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        if peek() != byte {
            skipWhiteSpace()
            guard peek() == byte else { return false }
        }
        index &+= 1
        return true
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        // A proof contains no white space.
        if peek() <= 0x20 { skipAllWhiteSpace() }
    }

    @inline(never)
    private mutating func skipAllWhiteSpace() {
        while case let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    @inline(never)
    private func failure(_ problem: String) -> StrictJSONError {
        StrictJSONError(.malformedJSON, problem, offset: index)
    }
}

extension JSONScanner {
    /// Whether the names of an object are unique, byte by byte after unescaping.
    private func hasUniqueNames(_ object: Int) -> Bool {
        let end = Int(tokens[object].next)
        // For so few tokens, including values and everything nested, comparing each pair is fastest.
        guard end - object <= 48 else { return hasUniqueNamesByHash(object) }
        var first = object + 1
        while first < end {
            var second = Int(tokens[first + 1].next)
            while second < end {
                if isSameName(tokens[first], tokens[second]) { return false }
                second = Int(tokens[second + 1].next)
            }
            first = Int(tokens[first + 1].next)
        }
        return true
    }

    private func isSameName(_ left: JSONToken, _ right: JSONToken) -> Bool {
        guard left.kind == .string, right.kind == .string else { return name(left) == name(right) }
        let count = Int(left.end - left.start)
        guard count == Int(right.end - right.start) else { return false }
        let (left, right) = (Int(left.start), Int(right.start))
        for offset in 0..<count where unsafe bytes[left + offset] != bytes[right + offset] { return false }
        return true
    }

    /// Looks up each name among the previous ones, in a hash table.
    ///
    /// The hash has a random seed for each process, so an attacker cannot choose names that collide.
    private func hasUniqueNamesByHash(_ object: Int) -> Bool {
        let end = Int(tokens[object].next)
        // A power of two, and more than twice the number of names, since at most half of the tokens are names.
        let placeCount = 1 << (Int.bitWidth - (end - object).leadingZeroBitCount)
        return unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: placeCount) { places in
            // The first token is never a name, so zero marks an empty slot.
            unsafe places.initialize(repeating: 0)
            var position = object + 1
            while position < end {
                var place = hash(tokens[position]) & (placeCount - 1)
                while case let other = unsafe Int(places[place]), other > 0 {
                    if isSameName(tokens[other], tokens[position]) { return false }
                    place = (place + 1) & (placeCount - 1)
                }
                unsafe places[place] = UInt32(truncatingIfNeeded: position)
                position = Int(tokens[position + 1].next)
            }
            return true
        }
    }

    /// Equal for equal names, escaped or not.
    private func hash(_ name: JSONToken) -> Int {
        var hasher = Hasher()
        if name.kind == .string {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(piece(Int(name.start), Int(name.end))))
        } else {
            unsafe self.name(name).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    private func name(_ token: JSONToken) -> [UInt8] {
        let text = unsafe Array(piece(Int(token.start), Int(token.end)))
        return token.kind == .string ? text : JSONEscape.unescaped(text[...]) ?? []
    }
}
