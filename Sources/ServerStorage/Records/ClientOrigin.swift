// SPDX-License-Identifier: Apache-2.0

/// Where a client comes from, which decides what it is trusted with.
public enum ClientOrigin: String, Sendable, Hashable, CaseIterable {
    /// An operator registered it.
    case registeredByOperator = "operator"
    /// It registered itself (RFC 7591): its publisher was not checked.
    case registeredItself = "itself"
    /// The server read its metadata document at the URL that is its `client_id`
    /// (draft-ietf-oauth-client-id-metadata-document-02): the host of that URL is all that is known of it.
    case document
}
