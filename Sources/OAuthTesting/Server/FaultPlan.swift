// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// The injected faults of the next requests.
final class FaultPlan: Sendable {
    private struct Entry {
        let fault: NetworkFault
        /// `nil` for any path.
        let path: String?
        var times: Int
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ fault: NetworkFault, times: Int, path: String?) {
        guard times > 0 else { return }
        entries.withLock { $0.append(Entry(fault: fault, path: path, times: times)) }
    }

    /// Takes the first fault for a request with this path.
    func take(forPath path: String) -> NetworkFault? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.path?.isIdentical(to: path) ?? true }) else { return nil }
            entries[index].times -= 1
            let fault = entries[index].fault
            if entries[index].times == 0 { entries.remove(at: index) }
            return fault
        }
    }

    func removeAll() {
        entries.withLock { $0.removeAll() }
    }
}
