// SPDX-License-Identifier: Apache-2.0

/// A text as a key that equals only the same bytes; keys of type `String` also equal canonically equivalent ones.
struct ExactText: Hashable {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: Self, right: Self) -> Bool {
        ASCII.isSame(left.text, right.text)
    }

    func hash(into hasher: inout Hasher) {
        text.utf8.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }
}
