// SPDX-License-Identifier: Apache-2.0

import ServerStorage

extension FormStage {
    /// The code or token in a parameter; `nil` if the parameter is absent, or has another format.
    func secret(in name: String, as kind: GrantSecret.Kind) -> GrantSecret? {
        guard let text = try? parameter(name) else { return nil }
        return GrantSecret(text, as: kind)
    }
}
