// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage
import StrictJSON

extension UserAccount {
    /// What operators see of an account, for scripts.
    func json() -> JSONValue {
        [
            "username": .string(username), "sub": .string(subject),
            "created_at": .number(JSONNumber(createdAt.secondsSince1970)), "claims": .object(claims),
        ]
    }
}
#endif
