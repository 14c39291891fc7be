// SPDX-License-Identifier: Apache-2.0

/// The stored form of a user name.
enum Username {
    /// The longest user name that can be registered or entered, in bytes.
    static let maximumLength = 256

    /// Lowercases ASCII letters and trims spaces, so that a name works however the user capitalizes it.
    static func stored(_ typed: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let start = typed.utf8.drop(while: isSpace)
        let trimmed = start.reversed().drop(while: isSpace).reversed()
        let lowered = trimmed.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        return String(decoding: lowered, as: UTF8.self)
    }

    /// The stored form of a typed user name; `nil` if no account can have it.
    static func acceptable(_ typed: String) -> String? {
        guard typed.utf8.count <= 4 * maximumLength else { return nil }
        let username = stored(typed)
        let isPlausible = !username.isEmpty && username.utf8.count <= maximumLength && !username.utf8.contains(0)
        return isPlausible ? username : nil
    }
}
