// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not strict JSON or strict base64.
///
/// Branch on ``code``. ``reason`` is text for people. Neither ever contains a part of the text, since it may be a
/// secret.
public struct StrictJSONError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    ///
    /// A minor version may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The bytes are not strict JSON: RFC 8259 with unique member names and limits for depth and numbers.
        public static let malformedJSON = Self("malformedJSON")
        /// The text is neither strict base64url without padding (RFC 7515 section 2) nor, where padding is required,
        /// strict base64.
        public static let malformedBase64 = Self("malformedBase64")
        /// The text is longer than ``JSONLimits/maximumSize``.
        ///
        /// It was not parsed.
        public static let tooLarge = Self("tooLarge")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for people, without the place: for a program that shows the place in its own way, such as by line.
    public let problem: String
    /// The offset of the byte at which the text stops being strict JSON, from 0; `nil` for every other error than
    /// ``Code/malformedJSON``.
    ///
    /// If the text ends too early, it is the length of the text. A member name that occurs twice is found at the end
    /// of its object, and a wrong escape or encoding at the end of its string.
    public let offset: Int?

    /// What went wrong, for people: one sentence without a full stop, with the offset if there is one.
    public var reason: String { offset.map { "\(problem), at byte \($0)" } ?? problem }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - problem: What went wrong, for people; never a part of the text.
    ///   - offset: The offset of the byte where it went wrong.
    public init(_ code: Code, _ problem: String, offset: Int? = nil) {
        self.code = code
        self.problem = problem
        self.offset = offset
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
