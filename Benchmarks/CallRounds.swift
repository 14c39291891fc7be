// SPDX-License-Identifier: Apache-2.0

/// Rounds of calls that switch threads: in wall-clock time, and in processor time of the whole process.
struct CallRounds {
    var wall = Rounds()
    var processor = Rounds()

    /// Alternates between the two sides, this many calls each, and measures seconds per call.
    @MainActor
    init(perTurn: Int, _ turn: (_ isReference: Bool, _ calls: Int) async throws -> Void) async throws {
        if let profile = Rounds.profile {
            try await turn(profile.isReference, profile.operations)
            (wall, processor) = (Rounds(ours: [1], reference: [1]), Rounds(ours: [1], reference: [1]))
            return
        }
        for round in 0...Rounds.count {
            var spent = [(wall: 0.0, processor: 0.0), (wall: 0.0, processor: 0.0)]
            for _ in 0..<Rounds.turns {
                for side in 0...1 {
                    let start = (wall: ThreadTime.wall(), processor: ThreadTime.process())
                    try await turn(side == 0, perTurn)
                    spent[side].wall += ThreadTime.wall() - start.wall
                    spent[side].processor += ThreadTime.process() - start.processor
                }
            }
            guard round > 0 else { continue }
            let calls = Double(Rounds.turns * perTurn)
            wall.reference.append(spent[0].wall / calls)
            wall.ours.append(spent[1].wall / calls)
            processor.reference.append(spent[0].processor / calls)
            processor.ours.append(spent[1].processor / calls)
        }
    }
}

extension Rounds {
    /// Measures seconds per call, one after the other.
    @MainActor
    static func compareCalls(
        perTurn: Int,
        ours: () async throws -> Void,
        reference: () async throws -> Void
    ) async throws -> CallRounds {
        try await CallRounds(perTurn: perTurn) { isReference, calls in
            for _ in 0..<calls { try await (isReference ? reference : ours)() }
        }
    }
}
