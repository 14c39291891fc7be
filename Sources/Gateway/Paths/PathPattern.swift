// SPDX-License-Identifier: Apache-2.0

/// The paths to which a rule applies: literal segments, `*` for one segment, and `**` at the end for the rest, which may
/// be empty.
///
/// `/admin` also matches `/admin/`, since many frameworks treat both alike.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case any
    }

    /// The pattern as written.
    public let description: String
    let segments: [Segment]
    /// Whether it ends in `**`.
    let isOpenEnded: Bool

    /// Reads a pattern.
    ///
    /// - Parameter text: A path such as `/notes/*` or `/notes/**`.
    /// - Throws: ``GatewayError/Code/invalidRule`` if it is no path, if a star is part of a segment, if `**` is not at
    ///   the end, or if a gateway refuses such paths anyhow.
    public init(_ text: String) throws(GatewayError) {
        description = text
        var names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.first?.isEmpty ?? false else { throw Self.error(text, "does not begin with a slash") }
        names.removeFirst()
        if names.last?.isEmpty ?? false { names.removeLast() }
        isOpenEnded = names.last == "**"
        if isOpenEnded { names.removeLast() }
        var segments: [Segment] = []
        for name in names {
            if name == "*" {
                segments.append(.any)
                continue
            }
            guard !name.contains("*") else {
                throw Self.error(text, "has a star that is no segment of its own, or ** before the end")
            }
            let plain = PlainPath("/" + name, except: .init(encodedSlashes: true, semicolons: true))
            guard let segment = plain?.segments.first else {
                throw Self.error(text, "has a segment for which every request is rejected")
            }
            segments.append(.literal(segment))
        }
        self.segments = segments
    }

    /// Whether the pattern fits a path.
    func matches(_ path: PlainPath, isCaseSensitive: Bool) -> Bool {
        guard path.segments.count >= segments.count, isOpenEnded || path.segments.count == segments.count else {
            return false
        }
        return zip(segments, path.segments).allSatisfy { segment, name in
            switch segment {
            case .any: true
            case .literal(let literal): Self.isSame(literal, name, isCaseSensitive)
            }
        }
    }

    /// The positions of the literals that a path has in other capitals, if the pattern fits it.
    func segmentsInOtherCapitals(of path: PlainPath) -> Set<Int> {
        var positions: Set<Int> = []
        for (position, (segment, name)) in zip(segments, path.segments).enumerated() {
            guard case .literal(let literal) = segment, !Self.isSame(literal, name, true) else { continue }
            positions.insert(position)
        }
        return positions
    }

    /// Whether every path that another pattern fits is also one of this pattern.
    func covers(_ other: PathPattern, isCaseSensitive: Bool) -> Bool {
        guard other.segments.count >= segments.count,
            isOpenEnded || !other.isOpenEnded && other.segments.count == segments.count
        else { return false }
        return zip(segments, other.segments).allSatisfy { Self.covers($0, $1, isCaseSensitive) }
    }

    /// Whether it fits paths that differ from those of another pattern in the end of its last name: `/admin.json` beside
    /// `/admin`.
    func coversEndings(of other: PathPattern, isCaseSensitive: Bool) -> Bool {
        let count = other.segments.count
        guard case .literal? = other.segments.last, segments.count <= count, isOpenEnded || segments.count == count,
            segments.count < count || segments.last == .any
        else { return false }
        return zip(segments, other.segments.dropLast()).allSatisfy { Self.covers($0, $1, isCaseSensitive) }
    }

    private static func covers(_ mine: Segment, _ theirs: Segment, _ isCaseSensitive: Bool) -> Bool {
        switch (mine, theirs) {
        case (.any, _): true
        case (.literal, .any): false
        case (.literal(let mine), .literal(let theirs)): isSame(mine, theirs, isCaseSensitive)
        }
    }

    private static func isSame(_ left: String, _ right: String, _ isCaseSensitive: Bool) -> Bool {
        guard !isCaseSensitive else { return left.utf8.elementsEqual(right.utf8) }
        return left.utf8.lazy.map(lowercased).elementsEqual(right.utf8.lazy.map(lowercased))
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }

    private static func error(_ text: String, _ what: String) -> GatewayError {
        GatewayError(.invalidRule, "the path '\(text)' \(what)")
    }
}
