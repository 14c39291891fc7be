// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A private connection to a message bus, used by one thread and closed with its owner.
///
/// Each call may block for ``timeout``.
@safe final class DBusConnection {
    /// In milliseconds; short, because no call prompts the user.
    private static let timeout: CInt = 10_000

    private let library: DBusLibrary
    private let connection: UnsafeMutableRawPointer

    /// Connects to the bus at an address in D-Bus syntax.
    init(_ address: String) throws(KeyStoreError) {
        let library = try DBusLibrary.shared.get()
        let error = DBusErrorBuffer(library)
        guard let opened = unsafe address.withCString({ unsafe library.openPrivate($0, error.pointer) }) else {
            throw KeyStoreError(.deviceUnavailable, "there is no message bus of a desktop at its address")
        }
        // By default, a bus that ends would also end this process.
        unsafe library.setExitOnDisconnect(opened, 0)
        self.library = library
        unsafe connection = opened
        guard unsafe library.register(opened, error.pointer) != 0 else {
            throw KeyStoreError(.deviceUnavailable, "the message bus of the desktop does not let this program in")
        }
    }

    deinit {
        unsafe library.close(connection)
        unsafe library.unreference(connection)
    }

    /// Calls a method and waits for the reply.
    func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ method: String,
        _ arguments: [DBusValue] = []
    ) throws(KeyStoreError) -> [DBusValue] {
        let library = library
        guard let message = unsafe library.newMethodCall(destination, path, interface, method) else {
            throw Self.outOfMemory
        }
        defer { unsafe library.unreferenceMessage(message) }
        try unsafe DBusWriter(library).write(arguments, to: message)
        let error = DBusErrorBuffer(library)
        guard let reply = unsafe library.sendAndBlock(connection, message, Self.timeout, error.pointer) else {
            throw error.failure(method)
        }
        defer { unsafe library.unreferenceMessage(reply) }
        return try unsafe DBusReader(library).values(of: reply)
    }

    static var outOfMemory: KeyStoreError {
        KeyStoreError(.deviceFailed, "there is no memory for a message to the desktop")
    }
}

/// The memory for an error of libdbus: `DBusError`, 32 bytes, two pointers of which refer to texts.
@safe private final class DBusErrorBuffer {
    private static let absent: Set<String> = [
        "ServiceUnknown", "NameHasNoOwner", "NoReply", "NoServer", "Disconnected", "Timeout", "TimedOut",
        "FileNotFound",
    ]

    let pointer: UnsafeMutableRawPointer
    private let library: DBusLibrary

    init(_ library: DBusLibrary) {
        self.library = library
        unsafe pointer = .allocate(byteCount: 64, alignment: 16)
        unsafe library.initializeError(pointer)
    }

    deinit {
        unsafe library.freeError(pointer)
        unsafe pointer.deallocate()
    }

    func failure(_ method: String) -> KeyStoreError {
        let text = unsafe pointer.load(as: UnsafePointer<CChar>?.self)
        let name = unsafe text.map { unsafe String(cString: $0) } ?? "unknown"
        let last = name.split(separator: ".").last.map(String.init) ?? name
        if name == "org.freedesktop.Secret.Error.IsLocked" {
            return KeyStoreError(.deviceLocked, "the keyring of the desktop is locked: unlock it, then try again")
        }
        if Self.absent.contains(last) || name.hasPrefix("org.freedesktop.DBus.Error.Spawn") {
            return KeyStoreError(.deviceUnavailable, "the desktop has no Secret Service that answers (\(last))")
        }
        return KeyStoreError(.deviceFailed, "the Secret Service failed at \(method): \(last)")
    }
}
#endif
