// SPDX-License-Identifier: Apache-2.0

extension HTMLText {
    /// The hidden fields of a form, one per line.
    init(hiddenFields fields: [(name: String, value: String)]) {
        self.init(lines: fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" })
    }
}
