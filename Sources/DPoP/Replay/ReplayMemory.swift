// SPDX-License-Identifier: Apache-2.0

/// Where the shards of a store have their large blocks from.
struct ReplayMemory {
    let proofs = ReplayBlocks(blockSize: ReplaySlots<ProofEntry>.largestBlockSize)
    let owners = ReplayBlocks(blockSize: ReplaySlots<OwnerEntry>.largestBlockSize)
}
