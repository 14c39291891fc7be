// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem

/// The required functions of libdbus, loaded at run time: a machine without a desktop does not need it.
///
/// The types are those of its header, `dbus/dbus.h` of version 1.
@safe struct DBusLibrary: @unchecked Sendable {
    // Addresses of functions, which never change; libdbus locks what its connections share.
    typealias Pointer = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>

    let openPrivate: @convention(c) (Text, Pointer) -> Pointer?
    let register: @convention(c) (Pointer, Pointer) -> UInt32
    let setExitOnDisconnect: @convention(c) (Pointer, UInt32) -> Void
    let close: @convention(c) (Pointer) -> Void
    let unreference: @convention(c) (Pointer) -> Void
    let sendAndBlock: @convention(c) (Pointer, Pointer, CInt, Pointer) -> Pointer?

    let newMethodCall: @convention(c) (Text, Text, Text, Text) -> Pointer?
    let unreferenceMessage: @convention(c) (Pointer) -> Void
    let beginAppending: @convention(c) (Pointer, Pointer) -> Void
    let appendBasic: @convention(c) (Pointer, CInt, UnsafeRawPointer) -> UInt32
    let appendFixedArray: @convention(c) (Pointer, CInt, UnsafeRawPointer, CInt) -> UInt32
    let openContainer: @convention(c) (Pointer, CInt, Text?, Pointer) -> UInt32
    let closeContainer: @convention(c) (Pointer, Pointer) -> UInt32

    let beginReading: @convention(c) (Pointer, Pointer) -> UInt32
    let argumentType: @convention(c) (Pointer) -> CInt
    let elementType: @convention(c) (Pointer) -> CInt
    let basic: @convention(c) (Pointer, Pointer) -> Void
    let recurse: @convention(c) (Pointer, Pointer) -> Void
    let next: @convention(c) (Pointer) -> UInt32
    let fixedArray: @convention(c) (Pointer, Pointer, UnsafeMutablePointer<CInt>) -> Void

    let initializeError: @convention(c) (Pointer) -> Void
    let freeError: @convention(c) (Pointer) -> Void

    /// The library, loaded once per process and never unloaded.
    static let shared: Result<DBusLibrary, KeyStoreError> = {
        do {
            return .success(try DBusLibrary(SharedLibrary("libdbus-1.so.3")))
        } catch {
            return .failure(
                KeyStoreError(
                    .deviceUnavailable,
                    "libdbus, which speaks to the desktop, is not here",
                    underlying: error
                )
            )
        }
    }()

    private init(_ library: SharedLibrary) throws(SharedLibraryError) {
        unsafe openPrivate = try library.function("dbus_connection_open_private")
        unsafe register = try library.function("dbus_bus_register")
        unsafe setExitOnDisconnect = try library.function("dbus_connection_set_exit_on_disconnect")
        unsafe close = try library.function("dbus_connection_close")
        unsafe unreference = try library.function("dbus_connection_unref")
        unsafe sendAndBlock = try library.function("dbus_connection_send_with_reply_and_block")
        unsafe newMethodCall = try library.function("dbus_message_new_method_call")
        unsafe unreferenceMessage = try library.function("dbus_message_unref")
        unsafe beginAppending = try library.function("dbus_message_iter_init_append")
        unsafe appendBasic = try library.function("dbus_message_iter_append_basic")
        unsafe appendFixedArray = try library.function("dbus_message_iter_append_fixed_array")
        unsafe openContainer = try library.function("dbus_message_iter_open_container")
        unsafe closeContainer = try library.function("dbus_message_iter_close_container")
        unsafe beginReading = try library.function("dbus_message_iter_init")
        unsafe argumentType = try library.function("dbus_message_iter_get_arg_type")
        unsafe elementType = try library.function("dbus_message_iter_get_element_type")
        unsafe basic = try library.function("dbus_message_iter_get_basic")
        unsafe recurse = try library.function("dbus_message_iter_recurse")
        unsafe next = try library.function("dbus_message_iter_next")
        unsafe fixedArray = try library.function("dbus_message_iter_get_fixed_array")
        unsafe initializeError = try library.function("dbus_error_init")
        unsafe freeError = try library.function("dbus_error_free")
        let initializeThreads: @convention(c) () -> UInt32 = unsafe try library.function("dbus_threads_init_default")
        _ = initializeThreads()
    }
}
#endif
