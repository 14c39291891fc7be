// SPDX-License-Identifier: Apache-2.0

public import DPoP

/// The outcome of a change, unless what was to be recorded with it was not accepted; then nothing has changed.
public enum Recorded<Outcome: Sendable>: Sendable {
    /// Everything was recorded, and the change has this outcome.
    case done(Outcome)
    /// The client assertion was used before.
    case assertionReplayed
    /// The proof was used before.
    case proofReplayed
    /// The pool of an entry, or its share for one owner, is full.
    case full
    /// The nonce of the proof was made for another replay memory than this, which is the current one.
    case otherEpoch(ReplayEpoch)
}

extension Recorded: Equatable where Outcome: Equatable {}
