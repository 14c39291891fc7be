// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage

/// Many tasks that try the same thing at once, distributed over all handles of a store.
enum Race {
    /// How many tasks take part.
    static let size = 64

    /// Runs a race.
    ///
    /// - Returns: The result of each task, in the order of the tasks.
    static func run<Outcome: Sendable>(
        _ handles: [any AuthorizationStorage],
        size: Int = size,
        _ attempt: @escaping @Sendable (_ store: any AuthorizationStorage, _ task: Int) async throws -> Outcome
    ) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for task in 0..<size {
                let store = handles[task % handles.count]
                group.addTask { (task, try await attempt(store, task)) }
            }
            var outcomes: [(Int, Outcome)] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension Sequence where Element: Equatable {
    /// How many elements are equal to a value.
    func count(of element: Element) -> Int {
        count { $0 == element }
    }
}
