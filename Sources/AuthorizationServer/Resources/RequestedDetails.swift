// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import StrictJSON

extension FormRequest {
    /// The longest `authorization_details`, in bytes: they become part of access tokens, which are sent in header
    /// fields.
    private static let maximumDetailsSize = 4096
    private static let maximumDetails = 16

    /// The parsed `authorization_details`; `nil` if absent.
    func requestedDetails() throws(ProtocolFailure) -> [AuthorizationDetail]? {
        guard let text = try parameter("authorization_details") else { return nil }
        let limits = JSONLimits(maximumSize: Self.maximumDetailsSize, maximumDepth: 8)
        guard let value = try? JSONValue(parsing: Array(text.utf8), limits: limits),
            let details = try? AuthorizationDetail.list(parsing: value),
            (1...Self.maximumDetails).contains(details.count)
        else {
            throw ProtocolFailure(
                .invalidAuthorizationDetails,
                "the authorization_details are not a JSON array of 1 to 16 objects with a type, at most 4096 bytes long"
            )
        }
        return details
    }
}
