// SPDX-License-Identifier: Apache-2.0

/// Where a server listens: `127.0.0.1:9000`, or `unix:` and an absolute path.
struct ServerPlace {
    /// As it was given.
    let text: String

    /// The path of a socket; `nil` for an address and a port.
    var path: String? { text.hasPrefix("unix:") ? String(text.dropFirst("unix:".count)) : nil }
    /// The address without brackets.
    var host: String {
        String(text.prefix(upTo: text.lastIndex(of: ":") ?? text.endIndex).filter { $0 != "[" && $0 != "]" })
    }
    var port: String { text.lastIndex(of: ":").map { String(text[text.index(after: $0)...]) } ?? "" }

    /// Reads a place; only characters that no configuration language of the proxies treats in a special way are allowed.
    init(_ text: String, _ option: String) throws {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:[]@")
        let isPath = text.hasPrefix("unix:/") && text.count > "unix:/".count
        let port = text.lastIndex(of: ":").flatMap { UInt16(text[text.index(after: $0)...]) }
        guard text.allSatisfy(allowed.contains),
            isPath || !text.hasPrefix("unix:") && port != nil && !text.hasPrefix(":")
        else {
            throw CommandFailure.usage("\(option) is not an address and a port, or unix: and an absolute path")
        }
        self.text = text
    }

    /// For HAProxy.
    var haproxyAddress: String { path.map { "unix@\($0)" } ?? text }
    /// For Caddy.
    var caddyAddress: String { path.map { "unix/\($0)" } ?? text }
}
