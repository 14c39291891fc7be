// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthSystem
import StrictJSON

/// A directory for one test, deleted with it.
final class TemporaryDirectory: Sendable {
    let url: URL
    var path: String { url.path }

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("keybound-test-" + Base64URL.encode(SystemEntropy().bytes(9)))
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes a file that only its owner may read, as secrets must be.
    func write(_ content: Data, to name: String) throws {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    func write(_ content: String, to name: String) throws {
        try write(Data(content.utf8), to: name)
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }
}
