// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension ServerConfiguration {
    /// The configured type of that name.
    func authorizationDetailType(_ type: String) -> AuthorizationDetailType? {
        authorizationDetailTypes.first { $0.type.isIdentical(to: type) }
    }

    func validateDetailTypes() throws(AuthorizationServerError) {
        let names = authorizationDetailTypes.map(\.type)
        guard Set(names).count == names.count, !names.contains("") else {
            throw .invalid("authorizationDetails", "a type of authorization details has a name and is described once")
        }
        for type in authorizationDetailTypes {
            let fields = type.fields.map(\.name)
            guard Set(fields).count == fields.count, !fields.contains("type"), !fields.contains("") else {
                throw .invalid(
                    "authorizationDetails",
                    "a member of authorization details has a name other than 'type' and is described once"
                )
            }
        }
    }
}
