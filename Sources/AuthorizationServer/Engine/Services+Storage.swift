// SPDX-License-Identifier: Apache-2.0

import ServerStorage

extension Services {
    /// Asks the storage; when it fails, the client is told to try again and the operator what happened.
    func stored<Value: Sendable>(
        _ operation: (any AuthorizationStorage) async throws -> Value
    ) async throws(ProtocolFailure) -> Value {
        do {
            return try await operation(storage)
        } catch {
            report("storage failed: \(error)")
            throw .unavailable
        }
    }
}
