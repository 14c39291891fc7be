// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
public import DPoP
public import Foundation
public import HTTPMessage
public import JOSE
public import OAuthCore
public import OAuthSystem
public import PKCE
public import SigningKeys
public import StrictJSON

extension UserFacingError where Self: LocalizedError {
    /// One sentence for users.
    public var errorDescription: String? { userMessage }
    /// What went wrong: for developers.
    public var failureReason: String? { clientError.reason }
    /// What the user can do; `nil` if there is nothing to do.
    public var recoverySuggestion: String? { recovery?.text }
}

/// For alerts and logs of apps.
extension OAuthClientError: LocalizedError {}
/// For alerts and logs of apps.
extension ProfileViolation: LocalizedError {}
/// For alerts and logs of apps.
extension OAuthCoreError: LocalizedError {}
/// For alerts and logs of apps.
extension KeyStoreError: LocalizedError {}
/// For alerts and logs of apps.
extension JOSEError: LocalizedError {}
/// For alerts and logs of apps.
extension DPoPError: LocalizedError {}
/// For alerts and logs of apps.
extension PKCEError: LocalizedError {}
/// For alerts and logs of apps.
extension StrictJSONError: LocalizedError {}
/// For alerts and logs of apps.
extension HTTPMessageError: LocalizedError {}
/// For alerts and logs of apps.
extension FileError: LocalizedError {}
/// For alerts and logs of apps.
extension TPMKeyEvidence.Failure: LocalizedError {}
#endif
