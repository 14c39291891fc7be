// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// Finds the message bus of the desktop in the two locations that sessions use; starts no program to find it.
enum SessionBus {
    static func address() -> String? {
        if let address = value("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
        // The location of a user's bus under systemd, even for a session without the variable.
        guard let directory = value("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { return nil }
        let path = directory + "/bus"
        guard unsafe access(path, F_OK) == 0 else { return nil }
        return "unix:path=" + path
    }

    private static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
#endif
