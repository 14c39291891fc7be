// SPDX-License-Identifier: Apache-2.0

import ServerStorage

extension Services {
    /// Calls the storage.
    ///
    /// If it fails, the client gets an error that allows a retry, and the cause is logged for the operator.
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
