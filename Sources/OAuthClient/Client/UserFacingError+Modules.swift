// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import HTTPMessage
public import JOSE
public import OAuthCore
public import OAuthSystem
public import PKCE
public import SigningKeys
public import StrictJSON

// The errors of the modules below, which know neither the sentences nor their translation.

/// What users read of it is that of the error that a client throws in its place.
extension OAuthCoreError: UserFacingError {
    /// The error that a client throws in its place.
    public var clientError: OAuthClientError {
        OAuthClientError(self, otherwise: .malformedResponse, reason)
    }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension KeyStoreError: UserFacingError {
    /// The error that a client throws in its place.
    public var clientError: OAuthClientError {
        OAuthClientError(code == .keyLost ? .keyMissing : .keyUnavailable, reason, underlying: self)
    }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension JOSEError: UserFacingError {
    /// The error that a client throws in its place.
    public var clientError: OAuthClientError {
        OAuthClientError(code == .signingFailed ? codeOfKeyTrouble(self) : .malformedResponse, reason, underlying: self)
    }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension DPoPError: UserFacingError {
    /// The error that a client throws in its place.
    public var clientError: OAuthClientError {
        let clientCode: OAuthClientError.Code =
            switch code {
            case .signingFailed: codeOfKeyTrouble(self)
            case .invalidTargetURI: .invalidArgument
            case .cancelled: .cancelled
            case .replayStoreUnavailable: .serverUnavailable
            default: .serverRejected
            }
        return OAuthClientError(clientCode, reason, underlying: self)
    }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension PKCEError: UserFacingError {
    /// An error with the code ``OAuthClientError/Code/invalidArgument``: a client makes its own verifiers.
    public var clientError: OAuthClientError { OAuthClientError(.invalidArgument, reason, underlying: self) }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension StrictJSONError: UserFacingError {
    /// An error with the code ``OAuthClientError/Code/malformedResponse``.
    public var clientError: OAuthClientError { OAuthClientError(.malformedResponse, reason, underlying: self) }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension HTTPMessageError: UserFacingError {
    /// The error that a client throws in its place: URIs are mostly the app's, everything else was received.
    public var clientError: OAuthClientError {
        OAuthClientError(code == .malformedURI ? .invalidArgument : .malformedResponse, reason, underlying: self)
    }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension FileError: UserFacingError {
    /// An error with the code ``OAuthClientError/Code/storageFailed``.
    public var clientError: OAuthClientError { OAuthClientError(self) }
    /// Nothing: the error has no code.
    public var helpAnchor: String? { nil }
}

/// What users read of it is that of the error that a client throws in its place.
extension TPMKeyEvidence.Failure: UserFacingError {
    /// An error with the code ``OAuthClientError/Code/attestationRefused``.
    public var clientError: OAuthClientError { OAuthClientError(.attestationRefused, reason, underlying: self) }
    /// Nothing: the error has no code.
    public var helpAnchor: String? { nil }
}

/// The code of a client whose key did not sign.
private func codeOfKeyTrouble(_ error: any Error) -> OAuthClientError.Code {
    KeyStoreError(causing: error)?.clientError.code ?? .keyUnavailable
}
