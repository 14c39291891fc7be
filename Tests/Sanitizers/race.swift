// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

// What scripts/sanitize tries ThreadSanitizer with: a Mutex that threads fight over must pass, a race beside it must not.

/// Sendable only in name: `bare` is what the sanitizer must find.
final class Counters: @unchecked Sendable {
    let locked = Mutex(0)
    var bare = 0
}

let counters = Counters()
let isRacy = CommandLine.arguments.contains("race")
DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for _ in 0..<20_000 {
        counters.locked.withLock { $0 += 1 }
        if isRacy { counters.bare += 1 }
    }
}
precondition(counters.locked.withLock { $0 } == 80_000)
