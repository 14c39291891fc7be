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

// For alerts and logs of apps.

extension UserFacingError where Self: LocalizedError {
    /// One sentence for users.
    public var errorDescription: String? { userMessage }
    /// What went wrong: for developers.
    public var failureReason: String? { clientError.reason }
    /// What the user can do; `nil` if there is nothing to do.
    public var recoverySuggestion: String? { recovery?.text }
}

extension OAuthClientError: LocalizedError {}
extension ProfileViolation: LocalizedError {}
extension OAuthCoreError: LocalizedError {}
extension KeyStoreError: LocalizedError {}
extension JOSEError: LocalizedError {}
extension DPoPError: LocalizedError {}
extension PKCEError: LocalizedError {}
extension StrictJSONError: LocalizedError {}
extension HTTPMessageError: LocalizedError {}
extension FileError: LocalizedError {}
extension TPMKeyEvidence.Failure: LocalizedError {}
#endif
