// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
package import ServerStorage

/// A driver under test, which provides new, empty stores.
package struct StorageDriver: Sendable {
    /// Uses a store; all handles lead to it, as if each were another process.
    package typealias Body = @Sendable (_ handles: [any AuthorizationStorage]) async throws -> Void

    let withStore: @Sendable (Body) async throws -> Void

    /// Makes a driver.
    ///
    /// - Parameter withStore: Makes a store, passes it on, and removes it afterwards.
    package init(withStore: @escaping @Sendable (Body) async throws -> Void) {
        self.withStore = withStore
    }

    /// The same driver, where each change that a case makes records a proof with a nonce.
    package var recordingProofs: StorageDriver {
        StorageDriver { body in
            try await withStore { handles in
                let epoch = Sample.epoch("a")
                try await handles.first?.startReplayMemory(epoch)
                try await Recording.$epoch.withValue(epoch) { try await body(handles) }
            }
        }
    }
}
