// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
package import ServerStorage

/// A driver under test: how to get a store that is new and empty.
package struct StorageDriver: Sendable {
    /// What is done with a store; the handles all lead to it, as if each were another process.
    package typealias Body = @Sendable (_ handles: [any AuthorizationStorage]) async throws -> Void

    let withStore: @Sendable (Body) async throws -> Void

    /// Describes a driver.
    ///
    /// - Parameter withStore: Makes a store, hands it over, and takes it away afterwards.
    package init(withStore: @escaping @Sendable (Body) async throws -> Void) {
        self.withStore = withStore
    }
}
