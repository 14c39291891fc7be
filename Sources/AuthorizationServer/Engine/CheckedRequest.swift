// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request that passed every row of its table, and what must be recorded with the change that it causes.
struct CheckedRequest<Stage: Sendable>: Sendable {
    let stage: Stage
    var recording: Recording
}
