// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension HTTPResponse {
    /// Whether the body is of a media type; its parameters are not looked at.
    func hasMediaType(_ expected: String) -> Bool {
        let type = fields["Content-Type"]?.prefix { $0 != ";" } ?? ""
        return type.trimmingSuffixSpaces.lowercased() == expected
    }
}

extension Substring {
    fileprivate var trimmingSuffixSpaces: Substring {
        var text = self
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
