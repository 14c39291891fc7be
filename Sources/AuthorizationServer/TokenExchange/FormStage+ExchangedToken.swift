// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension FormStage {
    /// The text of the access token in a parameter, with its type in a second one; `nil` when there is neither.
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
