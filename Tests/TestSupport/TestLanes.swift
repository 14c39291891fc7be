// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import BatchVerification
import Foundation

/// The library that verifies eight signatures at once, as `scripts/bootstrap test` installs it.
public enum TestLanes {
    /// The folder of the library.
    public static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent(".build/accelerate").path

    /// Whether this processor supports it: then it must be installed, and tests fail without it.
    public static let processorHasThem: Bool = {
        let flags =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("flags") }?.split(separator: " ") ?? []
        return flags.contains("avx512ifma") || flags.contains("avx_ifma")
    }()

    private static let loaded = Result { () throws(BatchVerificationError) in
        try BatchBackend.load(from: folder)
    }

    /// The library.
    ///
    /// - Returns: `nil`, with a printed message, on a processor that does not support it.
    /// - Throws: ``JOSEError`` if it is missing although the processor supports it: `scripts/bootstrap accelerate`
    ///   installs it.
    public static func backend() throws -> BatchBackend? {
        guard processorHasThem else {
            print("this processor has no lanes: only what happens without them is tested")
            return nil
        }
        return try loaded.get()
    }
}
#endif
