// SPDX-License-Identifier: Apache-2.0

/// A request that can be sent again as it is.
struct ClusterRequest: Sendable {
    /// What it asks for, in reports.
    let purpose: String
    let method: String
    let target: String
    let fields: [(name: String, value: String)]
    var body = ""
}
