// SPDX-License-Identifier: Apache-2.0

/// A dictionary key that equals only the same bytes.
///
/// `String` keys also equal canonically equivalent text.
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
