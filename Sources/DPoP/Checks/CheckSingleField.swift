// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// RFC 9449 section 4.3, check 1: there is exactly one `DPoP` field.
enum CheckSingleField {
    static func run(_ fieldValues: [String]) throws(DPoPError) -> String {
        guard let value = fieldValues.first else {
            throw DPoPError(.missingProof, "the request has no DPoP field", step: .singleField)
        }
        // Some HTTP stacks join fields of one name with a comma, which no JWT contains.
        guard fieldValues.count == 1, value.withUTF8Span({ $0.firstIndex(of: UInt8(ascii: ",")) }) == nil else {
            throw DPoPError(.invalidProof, "the request has more than one DPoP field", step: .singleField)
        }
        return value
    }
}
