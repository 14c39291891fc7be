// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CMicroHTTPDShim
import Glibc
import HTTPMessage

/// A daemon of GNU libmicrohttpd without a thread: the caller of ``run()`` provides it.
///
/// `@unchecked`: the pointer is set once. Any thread may call ``wake()``; ``ListenerThread`` ensures that only one
/// thread at a time uses the rest.
@safe struct MicroHTTPDaemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: DaemonContext

    /// Makes a daemon for the connections of an acceptor; `nil` if the system has no memory or file descriptors left.
    ///
    /// - Parameters:
    ///   - core: The state that the threads of the listener share.
    ///   - acceptor: Distributes the connections.
    ///   - thread: The number of the thread that will run the daemon.
    init?(core: ListenerCore, acceptor: Acceptor, thread: Int) {
        context = DaemonContext(core: core, acceptor: acceptor, thread: thread)
        // Lives as long as this value, which outlives the daemon.
        let opaque = unsafe Unmanaged.passUnretained(context).toOpaque()
        let options = unsafe Self.options(limits: core.limits, context: opaque)
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        let started = unsafe options.withUnsafeBufferPointer { options in
            unsafe keybound_start_daemon(flags, Self.onRequest, opaque, options.baseAddress)
        }
        guard let started = unsafe started else { return nil }
        unsafe pointer = started
        guard unsafe context.inbox.wakeup.attach(to: started), unsafe acceptor.attach(to: started) else {
            stop()
            return nil
        }
    }

    /// Waits for events and handles them.
    func run() {
        _ = unsafe MHD_run_wait(pointer, -1)
        for connection in context.inbox.take() { unsafe context.add(connection, to: pointer) }
        context.acceptor.accept(on: context.thread) { unsafe context.add($0, to: pointer) }
    }

    /// Makes ``run()`` return.
    func wake() {
        context.inbox.wakeup.wake()
    }

    /// Closes every connection.
    ///
    /// All callbacks have returned when this returns.
    ///
    /// No connection may be suspended.
    func stop() {
        context.inbox.close()
        unsafe MHD_stop_daemon(pointer)
    }

    private static func options(
        limits: HTTPListenerLimits,
        context: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        unsafe [
            // The acceptor enforces the limit; the library would close connections beyond its own.
            MHD_OptionItem(option: .CONNECTION_LIMIT, value: Int(Int32.max), ptr_value: nil),
            // `ConnectionTable` knows what a connection waits for; the library's own timeout starts again at each byte.
            MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: 0, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: limits.connectionMemory, ptr_value: nil),
            MHD_OptionItem(option: .STRICT_FOR_CLIENT, value: 1, ptr_value: nil),
            item(.URI_LOG_CALLBACK, unsafeBitCast(onTarget, to: Int.self), context),
            item(.UNESCAPE_CALLBACK, unsafeBitCast(onUnescape, to: Int.self), context),
            item(.NOTIFY_COMPLETED, unsafeBitCast(onCompleted, to: Int.self), context),
            item(.NOTIFY_CONNECTION, unsafeBitCast(onConnection, to: Int.self), context),
            item(.END, 0, nil),
        ]
    }

    private static func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer?) -> MHD_OptionItem
    {
        unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }

    // MARK: Callbacks

    private typealias TargetCallback =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
    private typealias UnescapeCallback =
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int
    private typealias CompletedCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_RequestTerminationCode
        ) -> Void
    private typealias ConnectionCallback =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_ConnectionNotificationCode
        ) -> Void

    /// Called after the request line was read; the return value stays with the request.
    ///
    /// Only here is the target still as sent.
    private static var onTarget: TargetCallback {
        { context, target, connection in
            guard let context = unsafe context, let connection = unsafe connection else { return nil }
            let core = unsafe Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue().core
            let info = unsafe keybound_connection_info(connection, .CONNECTION_INFO_SOCKET_CONTEXT)
            let record = unsafe info?.pointee.socket_context.map { unsafe Unmanaged<ConnectionRecord>.fromOpaque($0) }
            let exchange = unsafe Exchange(
                core: core,
                record: record?.takeUnretainedValue(),
                target: target.map { unsafe String(cString: $0) } ?? ""
            )
            // Otherwise the library parses the query and allocates memory for each parameter. A long query exhausts
            // that memory, and then the connection hangs. If its first character is NUL, the query is empty.
            if let mark = unsafe target.flatMap({ unsafe strchr($0, CInt(UInt8(ascii: "?"))) }) { unsafe mark[1] = 0 }
            return unsafe Unmanaged.passRetained(exchange).toOpaque()
        }
    }

    /// Leaves percent-encodings as they are; the default would also cut the target at `%00`.
    private static var onUnescape: UnescapeCallback {
        { _, _, text in
            unsafe text.map { unsafe strlen($0) } ?? 0
        }
    }

    /// Called after the header fields, for every part of the body, at its end, and after a resume.
    private static let onRequest: MHD_AccessHandlerCallback = {
        context,
        connection,
        _,
        method,
        version,
        part,
        partSize,
        request in
        guard let context = unsafe context, let connection = unsafe connection, let partSize = unsafe partSize,
            let opaque = unsafe request?.pointee
        else { return .NO }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
        let wakeup = unsafe Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue().inbox.wakeup
        let pointer = unsafe ConnectionPointer(connection, of: wakeup)
        let response: HTTPResponse?
        if !exchange.hasBegun {
            response = unsafe exchange.begin(
                HeaderBlock(connection, method: method, version: version, targetLength: exchange.targetLength)
            )
        } else if unsafe partSize.pointee > 0 {
            let bytes = unsafe UnsafeRawBufferPointer(start: part, count: partSize.pointee)
            unsafe partSize.pointee = 0
            return unsafe exchange.receive(bytes) ? .YES : .NO
        } else {
            response = exchange.respond(on: pointer)
        }
        guard let response else { return .YES }
        exchange.answering()
        let written = exchange.hasRoom(for: response) ? response : exchange.unwritable
        return pointer.queue(written, closing: exchange.closesAfterResponse, or: exchange.unwritable)
    }

    private static var onCompleted: CompletedCallback {
        { _, _, request, _ in
            guard let opaque = unsafe request?.pointee else { return }
            unsafe request?.pointee = nil
            unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue().end()
        }
    }

    private static var onConnection: ConnectionCallback {
        { context, connection, slot, event in
            guard let context = unsafe context, let connection = unsafe connection else { return }
            let daemon = unsafe Unmanaged<DaemonContext>.fromOpaque(context).takeUnretainedValue()
            if event == .CONNECTION_NOTIFY_STARTED {
                let record = unsafe ConnectionRecord(connection, limits: daemon.core.limits)
                daemon.connectionOpened(record)
                unsafe slot?.pointee = Unmanaged.passRetained(record).toOpaque()
            } else if let opaque = unsafe slot?.pointee {
                unsafe slot?.pointee = nil
                daemon.connectionClosed(unsafe Unmanaged<ConnectionRecord>.fromOpaque(opaque).takeRetainedValue())
            }
        }
    }
}
#endif
