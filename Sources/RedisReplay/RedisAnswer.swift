// SPDX-License-Identifier: Apache-2.0

import DPoP

/// What Redis answered.
struct RedisAnswer: Sendable {
    /// What became of the proof; ``/DPoP/ReplayInsertion/inserted`` if none was recorded.
    let insertion: ReplayInsertion
    /// The name of its memory, read after the proof was recorded.
    let epoch: [UInt8]
}
