// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

extension JSONObject {
    /// The members of both objects.
    ///
    /// Those of the other one win, and its nulls remove members.
    func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for member in other.members { merged[member.name] = member.value == .null ? nil : member.value }
        return merged
    }
}
