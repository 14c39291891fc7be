// SPDX-License-Identifier: Apache-2.0

// One import for an API: the guard, the requests and proofs it checks, scopes,
// the keys of issuers, and the transport that fetches them.

@_exported public import DPoP
@_exported public import HTTPMessage
@_exported public import OAuthCore
@_exported public import OAuthTransport
@_exported public import ResourceServer
