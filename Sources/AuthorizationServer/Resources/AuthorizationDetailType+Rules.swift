// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import StrictJSON

extension AuthorizationDetailType {
    /// Whether a detail of this type has only allowed members and values (RFC 9396 section 5).
    func accepts(_ detail: AuthorizationDetail) -> Bool {
        let object = detail.json
        let members = object.members.filter { $0.name != "type" }
        return members.allSatisfy { member in
            fields.contains { $0.name.isIdentical(to: member.name) && $0.accepts(member.value) }
        }
            && fields.allSatisfy { !$0.isRequired || object[$0.name] != nil }
            && isAcceptable(object)
    }
}

extension AuthorizationDetailField {
    /// The longest text that the consent page can show, in Unicode scalars.
    static let maximumLength = 256

    fileprivate func accepts(_ value: JSONValue) -> Bool {
        guard Self.text(of: value).unicodeScalars.count <= Self.maximumLength else { return false }
        guard let values else { return true }
        guard let texts = value.stringValue.map({ [$0] }) ?? value.arrayValue?.compactMap(\.stringValue),
            value.arrayValue.map({ $0.count == texts.count && !texts.isEmpty }) ?? true
        else { return false }
        return texts.allSatisfy { text in values.contains { $0.isIdentical(to: text) } }
    }

    /// A value as shown to users: text unchanged, lists separated by commas, everything else as JSON.
    static func text(of value: JSONValue) -> String {
        if let text = value.stringValue { return text }
        if let texts = value.arrayValue?.compactMap(\.stringValue), texts.count == value.arrayValue?.count {
            return texts.joined(separator: ", ")
        }
        return String(decoding: value.encoded(), as: UTF8.self)
    }
}

extension AuthorizationDetail {
    /// Whether this allows no more than another detail, which was granted (RFC 9396 section 6).
    ///
    /// It must have the same members. Each value is equal, or, for a list, a subset.
    func isWithin(_ granted: AuthorizationDetail) -> Bool {
        let (own, other) = (json, granted.json)
        return own.members.count == other.members.count
            && own.members.allSatisfy { member in
                guard let value = other[member.name] else { return false }
                if value == member.value { return true }
                guard let all = value.arrayValue, let some = member.value.arrayValue, !some.isEmpty else {
                    return false
                }
                return some.allSatisfy(all.contains)
            }
    }
}
