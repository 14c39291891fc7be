// SPDX-License-Identifier: Apache-2.0

/// Where a client comes from, which decides what it is trusted with.
public enum ClientOrigin: String, Sendable, Hashable, CaseIterable {
    /// An operator registered it.
    case registeredByOperator = "operator"
    /// It registered itself (RFC 7591): nobody has checked who is behind it.
    case registeredItself = "itself"
}
