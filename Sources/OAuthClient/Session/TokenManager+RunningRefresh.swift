// SPDX-License-Identifier: Apache-2.0

extension TokenManager {
    /// Waits until no refresh is running, or until the caller is cancelled.
    ///
    /// For a program that was told to end: the server may have consumed the refresh token already, and what it sends in its
    /// place would be lost with the process.
    package func waitForRefresh() async {
        while !Task.isCancelled, let task = running ?? fetching {
            _ = try? await Uncancelled.value(of: task)
        }
    }
}
