// SPDX-License-Identifier: Apache-2.0

/// What the exchange of an authorization code is checked against, all of one moment (RFC 6749 section 4.1.3).
public struct CodeReads: Sendable, Hashable {
    /// The client; `nil` if it is not registered.
    public var client: RegisteredClient?
    /// The code, also if it is used or expired; `nil` if it is unknown.
    public var code: StoredCode?
    /// The grant of the code; `nil` if it is not in force.
    public var grant: Grant?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - code: The code.
    ///   - grant: The grant of the code.
    public init(client: RegisteredClient?, code: StoredCode? = nil, grant: Grant? = nil) {
        self.client = client
        self.code = code
        self.grant = grant
    }
}
