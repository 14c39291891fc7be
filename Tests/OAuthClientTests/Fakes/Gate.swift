// SPDX-License-Identifier: Apache-2.0

/// Blocks tasks until a test opens it.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals = 0

    /// Waits until the gate is opened.
    func pass() async {
        arrivals += 1
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until a task has arrived at the gate, or the time of the test is up.
    func arrival() async throws {
        let before = arrivals
        while waiting.isEmpty, arrivals == before { try await Task.sleep(for: .milliseconds(1)) }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
