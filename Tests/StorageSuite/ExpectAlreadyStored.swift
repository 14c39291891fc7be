// SPDX-License-Identifier: Apache-2.0

import ServerStorage
import Testing

/// Expects that a driver refuses a second record under a key that is taken, with the error that every driver throws for it.
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
