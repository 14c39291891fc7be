// SPDX-License-Identifier: Apache-2.0

// The standard library's search for a text is in the module of regular expressions, which would add 1 MB to a program.
extension StringProtocol {
    /// Where another text occurs first; `nil` if it does not, or is empty.
    ///
    /// Both are compared byte by byte in UTF-8, so a mark that combines with the last character does not hide a match.
    package func firstRange(ofText text: some StringProtocol) -> Range<Index>? {
        let wanted = Array(text.utf8)
        guard !wanted.isEmpty else { return nil }
        var start = utf8.startIndex
        while start != utf8.endIndex {
            if utf8[start...].starts(with: wanted) { return start..<utf8.index(start, offsetBy: wanted.count) }
            utf8.formIndex(after: &start)
        }
        return nil
    }

    /// Whether another text, which is not empty, occurs; see ``firstRange(ofText:)``.
    package func contains(text: some StringProtocol) -> Bool {
        firstRange(ofText: text) != nil
    }

    /// The parts between the occurrences of another text, empty ones too; see ``firstRange(ofText:)``.
    package func split(atText text: some StringProtocol) -> [SubSequence] {
        var parts: [SubSequence] = []
        var rest = self[...]
        while let range = rest.firstRange(ofText: text) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        parts.append(rest)
        return parts
    }

    /// The text with each occurrence of another one replaced; see ``firstRange(ofText:)``.
    package func replacing(text: some StringProtocol, with replacement: String) -> String {
        split(atText: text).joined(separator: replacement)
    }
}
