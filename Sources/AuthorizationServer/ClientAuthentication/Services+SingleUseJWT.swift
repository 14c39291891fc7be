// SPDX-License-Identifier: Apache-2.0

import ServerStorage

extension Services {
    /// The entry of a JWT that can be used once, in the pool of its client.
    ///
    /// - Parameters:
    ///   - jwt: The assertion or request object.
    ///   - request: The request that it came with.
    /// - Returns: The entry to record.
    /// - Throws: A failure with 429 if no operator registered the client, and its address has used up its share.
    func entry(for jwt: SingleUseJWT, of request: some ClientStage) throws(ProtocolFailure) -> SingleUseEntry {
        guard request.clientRequest.client.origin != .registeredByOperator else {
            return SingleUseEntry(key: jwt.key, end: jwt.end, pool: .assertions)
        }
        do throws(ProtocolFailure) {
            try unregisteredClientShares.take(jwt.kind, from: limitedAddress, at: request.now)
        } catch {
            record(.limitReached, detail: "signed requests of unregistered clients")
            throw error
        }
        return SingleUseEntry(key: jwt.key, end: jwt.end, pool: .assertionsOfUnregisteredClients)
    }
}
