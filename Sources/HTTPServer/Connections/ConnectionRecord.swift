// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import Synchronization

/// The state that the listener keeps for one connection.
final class ConnectionRecord: Sendable {
    /// A stage, and since when the connection is in it.
    struct Moment: Equatable {
        let stage: ConnectionStage
        /// In milliseconds of ``CoarseClock``.
        let since: Int64
    }

    let peer: ConnectionPeer
    private let descriptor: CInt
    /// The time in the upper 61 bits, the stage in the lower 3.
    private let word: Atomic<UInt64>

    init(descriptor: CInt, peer: ConnectionPeer, at now: Int64) {
        self.descriptor = descriptor
        self.peer = peer
        word = Atomic(Self.encode(.head, now))
    }

    convenience init(_ connection: OpaquePointer, limits: HTTPListenerLimits) {
        let descriptor =
            unsafe keybound_connection_info(connection, .CONNECTION_INFO_CONNECTION_FD)?.pointee.connect_fd ?? -1
        let address = unsafe keybound_connection_info(connection, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee
            .client_addr
        self.init(
            descriptor: descriptor,
            peer: unsafe address.map { unsafe ConnectionPeer($0, limits: limits) }
                ?? ConnectionPeer(nil, limits: limits),
            at: CoarseClock.milliseconds()
        )
    }

    var moment: Moment {
        let word = word.load(ordering: .relaxed)
        return Moment(stage: ConnectionStage(rawValue: word & 7) ?? .cut, since: Int64(word >> 3))
    }

    /// Begins a stage; only the thread that serves the connection calls it.
    func enter(_ stage: ConnectionStage, at now: Int64 = CoarseClock.milliseconds()) {
        word.store(Self.encode(stage, now), ordering: .relaxed)
    }

    /// Disconnects the client, unless the connection went on to another stage since a moment was read.
    ///
    /// The library sees the end of the stream and closes the connection. The socket must be open: the caller holds the
    /// lock that closing the connection takes first.
    ///
    /// - Returns: Whether it did.
    func cut(from moment: Moment, at now: Int64) -> Bool {
        let expected = Self.encode(moment.stage, moment.since)
        let (isUnchanged, _) = word.compareExchange(
            expected: expected,
            desired: Self.encode(.cut, now),
            ordering: .relaxed
        )
        if isUnchanged { shutdown(descriptor, CInt(SHUT_RDWR)) }
        return isUnchanged
    }

    /// The question whether the client has closed its side.
    var question: pollfd { pollfd(fd: descriptor, events: keybound_read_hangup(), revents: 0) }

    /// Whether everything that the client sent has been read from the socket.
    var isDrained: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) <= 0
    }

    private static func encode(_ stage: ConnectionStage, _ time: Int64) -> UInt64 {
        UInt64(time) << 3 | stage.rawValue
    }
}
#endif
