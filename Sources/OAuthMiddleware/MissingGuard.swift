// SPDX-License-Identifier: Apache-2.0

/// A route asked who sent a request that no middleware of this module checked: a mistake of the program, never of the client.
///
/// Frameworks answer 500. It must not read as "nobody": a route that forgot its guard would serve everybody.
public struct MissingGuard: Error, CustomStringConvertible {
    /// What to do about it.
    public var description: String {
        "the route has no guard: add the middleware with the RequestGuard to its group"
    }
}
