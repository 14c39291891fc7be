// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthSystem
public import StrictJSON

/// An event for the audit log: what happened, who took part, when, and from where.
///
/// It never contains a code, a token or a password, nor an entered user name, which may be a password typed by mistake.
public struct AuditEvent: Sendable, Hashable {
    /// What happened; new kinds may be added in a minor version.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, in lower case with underscores.
        public let rawValue: String

        /// A user signed in.
        public static let signInSucceeded = Self("sign_in_succeeded")
        /// A password was wrong, or the user name unknown; ``AuditEvent/subject`` is the account, if it exists.
        public static let signInFailed = Self("sign_in_failed")
        /// A user signed out of a browser session.
        public static let signedOut = Self("signed_out")
        /// A user allowed a client's request; the grant begins.
        public static let consentGiven = Self("consent_given")
        /// A user denied a client's request.
        public static let consentDenied = Self("consent_denied")
        /// An authorization code was issued.
        public static let codeIssued = Self("code_issued")
        /// Tokens were issued; ``AuditEvent/detail`` is the grant type.
        public static let tokenIssued = Self("token_issued")
        /// Tokens were issued for a refresh token.
        public static let tokenRefreshed = Self("token_refreshed")
        /// A code or a refresh token was used twice, and its grant revoked for that; ``AuditEvent/detail`` says which.
        public static let reuseDetected = Self("reuse_detected")
        /// A client revoked its grant.
        public static let grantRevoked = Self("grant_revoked")
        /// A proof was rejected; ``AuditEvent/detail`` is the reason.
        public static let proofRejected = Self("proof_refused")
        /// A client attestation was rejected; ``AuditEvent/detail`` is the reason, and the attester where it is known.
        public static let attestationRejected = Self("attestation_refused")
        /// A sign-in without a browser began; ``AuditEvent/detail`` is `new`, or `step-up` for one that needs no answer.
        public static let firstPartyStarted = Self("first_party_started")
        /// An app sent a right answer; ``AuditEvent/detail`` is the step.
        public static let firstPartyStepAnswered = Self("first_party_step_answered")
        /// An app sent an answer that did not do; ``AuditEvent/detail`` is the step, and `wrong` or `raced`.
        public static let firstPartyStepRefused = Self("first_party_step_refused")
        /// A sign-in without a browser was sent to the browser; ``AuditEvent/detail`` is the reason.
        public static let sentToBrowser = Self("sent_to_browser")
        /// A client got a nonce challenge, as every client does at first.
        public static let nonceRequested = Self("nonce_requested")
        /// Another check rejected a request; ``AuditEvent/detail`` is its name.
        public static let requestRejected = Self("request_refused")
        /// An address or an account reached a limit; ``AuditEvent/detail`` says which.
        public static let limitReached = Self("limit_reached")
        /// More wrong user codes were entered than the accounts' own limits explain; at most once in ten minutes.
        public static let userCodesGuessed = Self("user_codes_guessed")
        /// An operator registered a client.
        public static let clientAdded = Self("client_added")
        /// An operator gave a client a new secret.
        public static let clientSecretAdded = Self("client_secret_added")
        /// An operator changed a client; ``AuditEvent/detail`` also names the changed members.
        public static let clientChanged = Self("client_changed")
        /// An operator removed a client and all of its grants.
        public static let clientRemoved = Self("client_removed")
        /// An operator made an initial access token for client registration; ``AuditEvent/detail`` also names it.
        public static let registrationTokenAdded = Self("registration_token_added")
        /// An operator removed an initial access token; ``AuditEvent/detail`` also names it.
        public static let registrationTokenRemoved = Self("registration_token_removed")
        /// A client registered itself.
        public static let clientRegistered = Self("client_registered")
        /// An operator added a user.
        public static let userAdded = Self("user_added")
        /// An operator changed a user's password.
        public static let passwordChanged = Self("password_changed")
        /// An operator changed the claims of a user; ``AuditEvent/detail`` also names the changed claims.
        public static let userClaimsChanged = Self("user_claims_changed")
        /// An operator removed a user and all of their grants.
        public static let userRemoved = Self("user_removed")
        /// An operator withdrew a user's consent for a client.
        public static let consentWithdrawn = Self("consent_withdrawn")
        /// An operator revoked all grants.
        public static let allGrantsRevoked = Self("all_grants_revoked")

        /// A key that signs tokens was made; the detail is its algorithm, its identifier, and when it signs.
        public static let signingKeyMade = Self("signing_key_made")
        /// An operator rotated the keys early; the detail is the next key, and when it signs.
        public static let signingKeyActivated = Self("signing_key_activated")
        /// A key signs no tokens any more, all that it signed have expired, and it was deleted.
        public static let signingKeyDeleted = Self("signing_key_deleted")
        /// An operator revoked all keys of an algorithm.
        public static let signingKeysRevoked = Self("signing_keys_revoked")
        /// An operator encrypted the keys with another credential.
        public static let signingKeysResealed = Self("signing_keys_resealed")
        /// An operator made a copy of the database.
        public static let databaseCopied = Self("database_copied")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// What happened.
    public let kind: Kind
    /// When it happened.
    public let time: Timestamp
    /// The identifier of the request, as in the log.
    public let requestID: String?
    /// The trace that the request belongs to (W3C Trace Context), if the proxy names one.
    public let traceID: String?
    /// The address of the client, an IP literal.
    public let clientAddress: String?
    /// The client that took part.
    public let clientID: String?
    /// The `sub` of the user.
    public let subject: String?
    /// The grant, which connects the events of one sign-in.
    public let grantID: String?
    /// More information, by kind: a fixed word or sentence.
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
        self.traceID = trace?.context?.traceID
        self.clientAddress = trace?.clientAddress?.description
        self.clientID = clientID ?? trace?.clientID
        self.subject = subject
        self.grantID = grantID
        self.detail = detail
    }

    /// The event as JSON, with the member names that logs use; unknown members are left out.
    public var json: JSONObject {
        var object: JSONObject = ["event": .string(kind.rawValue)]
        let members = [
            ("request_id", requestID), ("trace_id", traceID), ("address", clientAddress), ("client_id", clientID),
            ("sub", subject), ("grant_id", grantID), ("detail", detail),
        ]
        for (name, value) in members { object[name] = value.map { .string($0) } }
        return object
    }
}
