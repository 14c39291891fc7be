// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The events of the accounts' sessions: why they ended, and whether the server knows the client.
extension AccountManager {
    /// Listens to the events of one session.
    struct Watch: Sendable {
        /// A number of its own: the user may sign in again while an event is on its way.
        let number: Int
        let task: Task<Void, Never>
    }

    /// Listens to a new session, and no longer to an earlier one of the account.
    func watch(_ id: AccountSummary.ID, _ events: AsyncStream<SessionEvent>) {
        watching[id]?.task.cancel()
        watchCount += 1
        let number = watchCount
        let task = Task { [weak self] in
            for await event in events { await self?.note(event, of: id, from: number) }
        }
        watching[id] = Watch(number: number, task: task)
    }

    func stopWatching(_ id: AccountSummary.ID) {
        watching.removeValue(forKey: id)?.task.cancel()
        sessions[id] = nil
    }

    private func note(_ event: SessionEvent, of id: AccountSummary.ID, from number: Int) async {
        guard watching[id]?.number == number else { return }
        switch event {
        case .expired: await end(id, .expired, from: number)
        case .keyLost: await end(id, .keyLost, from: number)
        case .signedOut: await end(id, .signedOut, from: number)
        case .clientRefused: await note(id, clientIsRefused: true)
        case .refreshed, .adopted: await note(id, clientIsRefused: false)
        default: break
        }
    }

    /// Notes in the list why a session ended, unless its user has signed in again.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - reason: Why.
    ///   - number: The number of the ``Watch`` that heard of it.
    func end(_ id: AccountSummary.ID, _ reason: NeedsSignIn, from number: Int) async {
        guard watching[id]?.number == number else { return }
        sessions[id] = nil
        guard let known = try? await list()[id], watching[id]?.number == number else { return }
        // A list that cannot be written is written with the next call: the session is gone then too.
        let changed = try? await update { list in
            // Another process may have signed the user in since.
            guard list[id]?.signedInAt == known.signedInAt else { return }
            list[id]?.needsSignIn = reason
        }
        if let changed { publish(changed) }
    }
}
