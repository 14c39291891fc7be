// SPDX-License-Identifier: Apache-2.0

/// The allocators from which the shards of a store get their large blocks.
struct ReplayMemory {
    let proofs = ReplayBlocks(blockSize: ReplaySlots<ProofEntry>.largestBlockSize)
    let owners = ReplayBlocks(blockSize: ReplaySlots<OwnerEntry>.largestBlockSize)
}
