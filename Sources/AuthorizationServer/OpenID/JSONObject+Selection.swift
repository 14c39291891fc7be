// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension JSONObject {
    /// Adds the members of another object whose names this one does not have: claims about a user replace none that the
    /// server sets.
    mutating func addMissing(_ other: JSONObject) {
        for member in other.members where self[member.name] == nil { self[member.name] = member.value }
    }

    /// The members with these names, in their order.
    func only(_ names: [String]) -> JSONObject {
        var chosen = JSONObject()
        for name in names { chosen[name] = self[name] }
        return chosen
    }
}
