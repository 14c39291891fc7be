// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// A sign-out that is not known to be finished: tokens may still be stored, and the server may not have been told.
///
/// The list keeps it beside the accounts, so that nothing lists or selects it. A version that does not know it yet leaves it
/// in the list, as every member that it does not know.
struct EndedAccount: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let id: AccountSummary.ID
    /// The sign-in that ended, by the name that is stored with its tokens; `nil` if they have none.
    ///
    /// It matters only for an account that is still listed: its user may have signed in again.
    var session: String?
    /// When the user signed out, to the second, as it is stored.
    let endedAt: Timestamp
    /// Members that a newer version wrote.
    private var otherMembers = JSONObject()

    init(id: AccountSummary.ID, session: String? = nil, endedAt: Timestamp) {
        self.id = id
        self.session = session
        self.endedAt = Timestamp(secondsSince1970: endedAt.secondsSince1970)
    }

    /// The account alone: a member of a newer version may be a secret.
    var description: String { "EndedAccount(\(id))" }
    var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension EndedAccount {
    private static let members: Set<String> = ["id", "session", "ended_at"]

    var json: JSONObject {
        var object = otherMembers
        object["id"] = .string(id)
        object["session"] = session.map { .string($0) }
        object["ended_at"] = .number(JSONNumber(endedAt.secondsSince1970))
        return object
    }

    init?(_ object: JSONObject) {
        guard let id = object["id"]?.stringValue, !id.isEmpty, let seconds = object["ended_at"]?.integerValue else {
            return nil
        }
        self.init(
            id: id,
            session: object["session"]?.stringValue,
            endedAt: Timestamp(secondsSince1970: seconds)
        )
        for member in object.members where !Self.members.contains(member.name) {
            otherMembers[member.name] = member.value
        }
    }
}
