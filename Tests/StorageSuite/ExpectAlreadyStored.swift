// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import Testing

/// Expects that a driver rejects a second record under a taken key, with the same error as every driver.
func expectAlreadyStored<Value>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ operation: () async throws -> Value
) async {
    await #expect(sourceLocation: sourceLocation) {
        _ = try await operation()
    } throws: { error in
        (error as? StorageError)?.code == .alreadyStored
    }
}
