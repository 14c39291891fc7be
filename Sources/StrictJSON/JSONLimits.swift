// SPDX-License-Identifier: Apache-2.0

/// How much JSON is read before a text is refused.
public struct JSONLimits: Sendable, Hashable {
    /// The size of the whole text, in bytes.
    public var maximumSize: Int
    /// How many arrays and objects may lie in one another.
    public var maximumDepth: Int
    /// The length of the text of a number, in characters.
    public var maximumNumberLength: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - maximumSize: The size of the whole text, in bytes.
    ///   - maximumDepth: How many arrays and objects may lie in one another.
    ///   - maximumNumberLength: The length of the text of a number, in characters.
    public init(maximumSize: Int = 65_536, maximumDepth: Int = 16, maximumNumberLength: Int = 32) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
        self.maximumNumberLength = maximumNumberLength
    }

    /// 64 KiB, 16 levels, numbers of 32 characters.
    public static let standard = JSONLimits()
}
