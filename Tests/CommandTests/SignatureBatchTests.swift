// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("keybound serve --signature-lanes")
struct SignatureBatchTests {
    private func start(_ options: [String], in directory: TemporaryDirectory) async throws -> KeyboundProcess.Result {
        let server = try await ServedIssuer(in: directory, options: ["--unencrypted-key-file"] + options)
        return await server.stop()
    }

    private func fact(_ result: KeyboundProcess.Result) -> Substring {
        result.output.split(separator: "\n").first { $0.hasPrefix("signatures ") } ?? ""
    }

    @Test func `with the library the server says from how many proofs on it is used`() async throws {
        let result = try await start(["--signature-lanes", TestLanes.folder], in: TemporaryDirectory())
        #expect(result.status == 0)
        if TestLanes.processorHasThem {
            #expect(fact(result).contains("up to eight at a time by libcrypto_mb"))
            #expect(!result.errors.contains("one by one"))
        } else {
            #expect(result.errors.contains("warning: proofs are verified one by one"))
        }
    }

    @Test func `without the library, or with one that is cut off, the server runs and says why it does without`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let absent = try await start(["--signature-lanes", directory.path + "/nowhere"], in: directory)
        #expect(absent.status == 0)
        #expect(fact(absent).contains("OpenSSL, one by one (there is no libcrypto_mb.so.13 in"))
        #expect(absent.errors.contains("warning: proofs are verified one by one"))
        try directory.write(
            Data([0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0, count: 5000)),
            to: "libcrypto_mb.so.13"
        )
        let cut = try await start(["--signature-lanes", directory.path], in: directory)
        #expect(cut.status == 0)
        #expect(fact(cut).contains("is cut off, or no library"))
        let off = try await start(["--signature-lanes", "off"], in: directory)
        #expect(fact(off) == "signatures OpenSSL, one by one")
        #expect(!off.errors.contains("one by one"))
    }
}
