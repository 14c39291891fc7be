// SPDX-License-Identifier: Apache-2.0

/// Limits for parsing JSON.
///
/// Text that exceeds them is rejected.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum size of the text, in bytes.
    public var maximumSize: Int
    /// The maximum nesting depth of arrays and objects.
    public var maximumDepth: Int
    /// The maximum length of a number, in characters.
    public var maximumNumberLength: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of the text, in bytes.
    ///   - maximumDepth: The maximum nesting depth of arrays and objects.
    ///   - maximumNumberLength: The maximum length of a number, in characters.
    public init(maximumSize: Int = 65_536, maximumDepth: Int = 16, maximumNumberLength: Int = 32) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
        self.maximumNumberLength = maximumNumberLength
    }

    /// The default limits: 64 KiB, 16 levels, numbers of 32 characters.
    public static let standard = JSONLimits()
}
