// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Where used proofs are recorded")
struct UsedProofsTests {
    @Test func `a replay store in the storage is used as the storage itself, so that no proof is recorded twice`() {
        let proofs = UsedProofs(StorageReplayStore(MemoryAuthorizationStorage(), entropy: SeededEntropy()))
        #expect(!proofs.isApart)
        #expect(proofs.memory(of: .granted) == nil)
        #expect(proofs.memory(of: .pushed) == nil)
    }

    @Test func `a replay store in memory has one part for each pool`() {
        let proofs = UsedProofs(MemoryReplayStore())
        #expect(proofs.isApart)
        #expect(proofs.memory(of: .granted) != nil)
        #expect(proofs.memory(of: .pushed) != nil)
    }
}
