// SPDX-License-Identifier: Apache-2.0

/// The names of the parameters and members of a sign-in without a browser (OAuth 2.0 for First-Party Applications).
///
/// Client and server spell them here only.
public enum FirstPartyParameter {
    /// The value that continues a sign-in, in requests and answers (sections 5.2.2.1 and 5.3.1).
    public static let authSession = "auth_session"
    /// For how many seconds ``authSession`` is good; a member of this library's servers.
    public static let authSessionExpiresIn = "auth_session_expires_in"
    /// The code of a finished sign-in (section 5.2.1).
    public static let authorizationCode = "authorization_code"
    /// Which step the request answers: a ``SignInStepType``.
    public static let step = "step"
    /// What the user may do now: an array of objects, each with ``type``, the preferred one first.
    public static let steps = "steps"
    /// The ``SignInStepType`` of an offer.
    public static let type = "type"
    /// A ``SignInProblem``, after an answer that did not do.
    public static let problem = "problem"
    /// The user name: in an answer to ``SignInStepType/password``, and in its offer when the request had a `login_hint`.
    public static let username = "username"
    /// The password, in an answer to ``SignInStepType/password``.
    public static let password = "password"
    /// The code of an authenticator app, or a recovery code.
    public static let code = "code"
    /// The answer of a passkey, as JSON text.
    public static let credential = "credential"
}
