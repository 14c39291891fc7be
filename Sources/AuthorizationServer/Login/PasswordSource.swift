// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// Who wants a password checked; each source waits in a queue of its own.
public enum PasswordSource: Sendable, Hashable {
    /// A user whose browser proved that the user signed in there before; the value is the subject.
    ///
    /// Some places in the queue are for these only, so that users can sign in while strangers flood the server.
    case knownUser(String)
    /// An address; for IPv6, any address of its /64.
    case address(IPAddress)
    /// A proxy that names no client, or an operator's command.
    case unknown
}
