// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthSystem
public import StrictJSON

/// Something that an operator may have to answer for: who, what, when, from where.
///
/// It never holds a code, a token, a password, or what somebody typed as a user name, since that may be a password.
public struct AuditEvent: Sendable, Hashable {
    /// What happened; new kinds may be added in a minor version.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, in lower case with underscores.
        public let rawValue: String

        /// A person signed in.
        public static let signInSucceeded = Self("sign_in_succeeded")
        /// A password was wrong, or the name unknown; ``AuditEvent/subject`` says whose, if there is such an account.
        public static let signInFailed = Self("sign_in_failed")
        /// A session of a browser was ended by its person.
        public static let signedOut = Self("signed_out")
        /// A person allowed a client something; the grant begins.
        public static let consentGiven = Self("consent_given")
        /// A person said no to a client.
        public static let consentDenied = Self("consent_denied")
        /// A code was given out.
        public static let codeIssued = Self("code_issued")
        /// Tokens were given out; ``AuditEvent/detail`` is the grant type.
        public static let tokenIssued = Self("token_issued")
        /// Tokens were given out for a refresh token.
        public static let tokenRefreshed = Self("token_refreshed")
        /// A code or a refresh token was used twice, and its grant revoked for that; ``AuditEvent/detail`` says which.
        public static let reuseDetected = Self("reuse_detected")
        /// A client revoked its grant.
        public static let grantRevoked = Self("grant_revoked")
        /// A proof was refused; ``AuditEvent/detail`` says why.
        public static let proofRejected = Self("proof_refused")
        /// A client was asked for a proof with a nonce, as every client is at first.
        public static let nonceRequested = Self("nonce_requested")
        /// Another check refused a request; ``AuditEvent/detail`` is its name.
        public static let requestRejected = Self("request_refused")
        /// An address or an account has used up a limit; ``AuditEvent/detail`` says which.
        public static let limitReached = Self("limit_reached")
        /// An operator registered a client.
        public static let clientAdded = Self("client_added")
        /// The operator gave a client a new secret.
        public static let clientSecretAdded = Self("client_secret_added")
        /// The operator removed a client, and with it every grant of its.
        public static let clientRemoved = Self("client_removed")
        /// An operator made a token with which clients register themselves.
        public static let registrationTokenAdded = Self("registration_token_added")
        /// A client registered itself.
        public static let clientRegistered = Self("client_registered")
        /// An operator registered a person.
        public static let userAdded = Self("user_added")
        /// An operator gave a person another password.
        public static let passwordChanged = Self("password_changed")
        /// An operator removed a person, and with them every grant.
        public static let userRemoved = Self("user_removed")
        /// An operator took back what a person allowed a client.
        public static let consentWithdrawn = Self("consent_withdrawn")
        /// An operator revoked every grant there was.
        public static let allGrantsRevoked = Self("all_grants_revoked")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// What happened.
    public let kind: Kind
    /// When.
    public let time: Timestamp
    /// The name of the request, as in the log.
    public let requestID: String?
    /// From where, an IP literal.
    public let clientAddress: String?
    /// The client that took part.
    public let clientID: String?
    /// The `sub` of the person.
    public let subject: String?
    /// The grant, which leads from one event of a sign-in to the others.
    public let grantID: String?
    /// More, by kind: a fixed word or sentence.
    public let detail: String?

    init(
        _ kind: Kind,
        at time: Timestamp,
        trace: RequestTrace?,
        clientID: String? = nil,
        subject: String? = nil,
        grantID: String? = nil,
        detail: String? = nil
    ) {
        self.kind = kind
        self.time = time
        self.requestID = trace?.id
        self.clientAddress = trace?.clientAddress?.description
        self.clientID = clientID ?? trace?.clientID
        self.subject = subject
        self.grantID = grantID
        self.detail = detail
    }

    /// The event with the names that logs use; members that are not known are left out.
    public var json: JSONObject {
        var object: JSONObject = ["event": .string(kind.rawValue)]
        let members = [
            ("request_id", requestID), ("address", clientAddress), ("client_id", clientID), ("sub", subject),
            ("grant_id", grantID), ("detail", detail),
        ]
        for (name, value) in members { object[name] = value.map { .string($0) } }
        return object
    }
}
