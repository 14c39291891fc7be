// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension FormStage {
    /// The access token in a parameter, whose type is in a second one; `nil` if both are absent.
    func presentedToken(_ name: String) throws(ProtocolFailure) -> String? {
        let type = try parameter(name + "_type")
        guard let text = try parameter(name) else {
            guard type == nil else { throw ProtocolFailure(.invalidRequest, "there is a type of a token and no token") }
            return nil
        }
        guard type == TokenTypeIdentifier.accessToken.rawValue else {
            throw ProtocolFailure(.invalidRequest, "the type of the token is missing, or not that of access tokens")
        }
        return text
    }
}
