// SPDX-License-Identifier: Apache-2.0

package import OAuthCore

/// The error that an operation of a transport throws; `nil` when it throws none.
package func transportError(_ operation: () async throws -> Void) async -> OAuthCoreError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? OAuthCoreError
    }
}
