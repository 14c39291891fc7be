// SPDX-License-Identifier: Apache-2.0

// One import for a program that runs an authorization server inside it: the engine, the values it is configured with,
// the keys it signs with, the storage in one SQLite file, and the listener.

@_exported public import AuthorizationServer
@_exported public import DPoP
@_exported public import HTTPMessage
@_exported public import HTTPServer
@_exported public import JOSE
@_exported public import OAuthCore
@_exported public import OAuthSystem
@_exported public import SQLiteStorage
@_exported public import ServerStorage
@_exported public import SigningKeys
