// SPDX-License-Identifier: Apache-2.0

/// Makes untrusted text safe to print: characters that move the cursor, change colours or reverse the text are shown as
/// `\u{...}`.
enum SafeText {
    static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isDangerous(scalar) {
                safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Control characters, and marks that are invisible or change the text direction.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }
}
