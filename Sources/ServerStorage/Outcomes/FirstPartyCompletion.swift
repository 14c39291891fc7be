// SPDX-License-Identifier: Apache-2.0

/// The outcome of an attempt to finish a sign-in without a browser.
public enum FirstPartyCompletion: Sendable, Hashable {
    /// Session, grant and code are stored.
    case issued
    /// The session is unknown, has expired, has ended, or its value was replaced.
    case lost
    /// The client has used this code challenge before (RFC 9700 section 2.1.1).
    case challengeReused
    /// The account was removed, or has another password than the one that was checked.
    case accountChanged
}
