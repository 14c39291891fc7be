// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension FormParameters {
    /// The first repeated name, except the one that may be repeated (RFC 8707 section 2).
    var firstWronglyRepeatedName: String? {
        var others = FormParameters()
        for parameter in all where parameter.name != "resource" { others.append(parameter.name, parameter.value) }
        return others.firstRepeatedName
    }
}
