// SPDX-License-Identifier: Apache-2.0

import ServerStorage

extension FormStage {
    /// The hash under which the code or token in a parameter is stored; `nil` if the parameter is absent.
    func hash(of name: String) -> SecretHash? {
        guard let text = try? parameter(name) else { return nil }
        return SecretHash(of: text)
    }
}
