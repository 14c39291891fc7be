// SPDX-License-Identifier: Apache-2.0

/// Where a listener accepts connections.
public enum ListeningAddress: Sendable, Hashable {
    /// An IPv4 or IPv6 literal without brackets, and a port; port 0 is any that is free.
    case network(String, port: UInt16)
    /// A socket in the file system, which only users who may write to the file can connect to.
    ///
    /// The path has at most 107 bytes. A file that an earlier process left is replaced; one that a process listens at is
    /// an error. The file gets `mode` before a client can connect, and is removed when the listener stops.
    case unixSocket(path: String, mode: UInt16 = 0o660)
    /// A listening socket that the parent process opened (`sd_listen_fds(3)`), by its descriptor.
    ///
    /// The listener owns the descriptor from then on. The socket itself stays open in the parent: connections that
    /// arrive after the listener has stopped wait for the next process.
    case inherited(descriptor: Int32)
}
