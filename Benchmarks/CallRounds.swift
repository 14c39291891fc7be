// SPDX-License-Identifier: Apache-2.0

/// Rounds of calls that change threads: by the clock on the wall, and by the processor time of the whole process.
struct CallRounds {
    var wall = Rounds()
    var processor = Rounds()
}

extension Rounds {
    /// Measures seconds for one call.
    @MainActor
    static func compareCalls(
        perTurn: Int,
        ours: () async throws -> Void,
        reference: () async throws -> Void
    ) async throws -> CallRounds {
        if let profile {
            for _ in 0..<profile.operations { try await (profile.isReference ? reference : ours)() }
            return CallRounds(
                wall: Rounds(ours: [1], reference: [1]),
                processor: Rounds(ours: [1], reference: [1])
            )
        }
        var result = CallRounds()
        for round in 0...count {
            var spent = [(wall: 0.0, processor: 0.0), (wall: 0.0, processor: 0.0)]
            for _ in 0..<turns {
                for side in 0...1 {
                    let start = (wall: ThreadTime.wall(), processor: ThreadTime.process())
                    for _ in 0..<perTurn { try await (side == 0 ? reference : ours)() }
                    spent[side].wall += ThreadTime.wall() - start.wall
                    spent[side].processor += ThreadTime.process() - start.processor
                }
            }
            guard round > 0 else { continue }
            let calls = Double(turns * perTurn)
            result.wall.reference.append(spent[0].wall / calls)
            result.wall.ours.append(spent[1].wall / calls)
            result.processor.reference.append(spent[0].processor / calls)
            result.processor.ours.append(spent[1].processor / calls)
        }
        return result
    }
}
