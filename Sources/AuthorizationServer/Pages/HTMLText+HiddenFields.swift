// SPDX-License-Identifier: Apache-2.0

extension HTMLText {
    /// The fields of a form that the person does not see, each on a line of its own.
    init(hiddenFields fields: [(name: String, value: String)]) {
        self.init(lines: fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" })
    }
}
