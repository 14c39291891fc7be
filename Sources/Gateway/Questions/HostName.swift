// SPDX-License-Identifier: Apache-2.0

/// The host of an authority, for comparison.
enum HostName {
    /// A host without port and final dot, in lower case; `nil` if it is none.
    static func normalized(_ authority: String) -> String? {
        var host = authority.utf8[...]
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            guard isPort(host[host.index(after: bracket)...]) else { return nil }
            host = host[...bracket]
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            guard isPort(host[colon...]) else { return nil }
            host = host[..<colon]
        }
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        guard !host.isEmpty, host.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }) else {
            return nil
        }
        return String(decoding: host.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    private static func isPort(_ text: Substring.UTF8View.SubSequence) -> Bool {
        text.isEmpty
            || text.first == UInt8(ascii: ":") && text.count <= 6
                && text.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
