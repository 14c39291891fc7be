// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthSystem

/// The fields that authorize one sending of a request, for HTTP libraries other than the one of the session.
///
/// A proof works once: get another attempt for each sending, with ``OAuthSession/authorization(method:url:)`` for a new
/// request and ``OAuthSession/authorization(after:status:fields:body:)`` for the same one.
public struct AuthorizedAttempt: Sendable, RedactedSecret {
    /// `Authorization`, and for tokens that are bound to a key `DPoP`: set them, in place of others of the same name.
    public let fields: HTTPFields

    let signed: SignedCall
    let state: CallState

    init(_ signed: SignedCall, _ state: CallState) {
        let all = signed.request.fields
        var fields = HTTPFields()
        for name in ["Authorization", "DPoP"] { fields[name] = all[name] }
        self.fields = fields
        self.signed = signed
        self.state = state
    }
}
