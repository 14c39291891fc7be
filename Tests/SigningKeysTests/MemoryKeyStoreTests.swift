// SPDX-License-Identifier: Apache-2.0

import JOSE
import KeyStoreSuite
import SigningKeys
import Testing

@Suite("Keys in memory")
struct MemoryKeyStoreTests {
    @Test func `keeps the promises of a key store`() async throws {
        try await KeyStoreBehaviour(MemoryKeyStore(), protection: .memory).check()
    }
}
