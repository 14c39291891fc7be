// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore

extension GatewayDependency {
    /// The keys of an issuer.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - isOnly: Whether the gateway has no other.
    convenience init(keysOf issuer: GatewayIssuers.Issuer, isOnly: Bool) {
        let name = issuer.settings.name
        let keys = issuer.keys
        // So often that no request waits for them.
        self.init(
            isOnly ? "the keys of the issuer" : "the keys of the issuer \(name)",
            of: name,
            effect: isOnly ? "requests get 503" : "its tokens get 503",
            every: .seconds(10)
        ) {
            _ = try await keys.keySet(forKeyID: nil)
        }
    }
}
#endif
