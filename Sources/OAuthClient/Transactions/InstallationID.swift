// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import OAuthSystem

/// A random identifier of this installation of an app, in a file that is removed with the app.
struct InstallationID: Sendable {
    /// In bytes.
    static let count = 16

    private let directory: String
    private let timeout: Duration
    private var file: String { directory + "/installation" }

    init(directory: String, timeout: Duration) {
        self.directory = directory
        self.timeout = timeout
    }

    func makeDirectory() async throws {
        try await FileWork.run {
            try PrivateDirectory.make(at: directory)
            try PrivateDirectory.requirePrivate(directory)
        }
    }

    /// The identifier; `nil` before the first tokens are saved.
    func current() async throws -> [UInt8]? {
        try await FileWork.run { try PrivateFile.read(file, maximumSize: Self.count) }
    }

    /// Runs a closure with the identifier, which is made if it is missing, while no other process does the same.
    func withLock(_ body: @Sendable (_ mark: [UInt8]) async throws -> Void) async throws {
        try await makeDirectory()
        let lock = try await FileWork.lock(file + ".lock", timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        if let mark = try await current(), mark.count == Self.count { return try await body(mark) }
        let mark = SystemRandom.bytes(Self.count)
        try await FileWork.run { try PrivateFile.replace(file, with: mark) }
        try await body(mark)
    }
}
#endif
