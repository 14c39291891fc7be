// SPDX-License-Identifier: Apache-2.0

// One import for an app or a command-line tool that signs in and calls APIs: the client, the values it shares with servers,
// and the stores of keys.

@_exported public import OAuthClient
@_exported public import OAuthCore
@_exported public import SigningKeys
