// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthCrypto
import OAuthSystem
import Testing

/// A copy of the module of Tests/PKCS11Module, which has faults of its own.
struct FaultyModule {
    let path: String
    private let library: SharedLibrary

    init() throws {
        let directory = try #require(TokenStage.directory)
        path = directory + "/faults-\(UUID().uuidString).so"
        try FileManager.default.copyItem(atPath: directory + "/faults.so", toPath: path)
        library = try SharedLibrary(path)
    }

    /// Lets the next calls of a function answer something.
    func fail(_ function: String, _ answer: UInt, times: UInt = 1) throws {
        let fail: @convention(c) (UnsafePointer<CChar>, UInt, UInt) -> Void = try unsafe library.function("fault_fail")
        unsafe fail(function, answer, times)
    }

    /// How often a function was called.
    func calls(_ function: String) throws -> UInt {
        let calls: @convention(c) (UnsafePointer<CChar>) -> UInt = try unsafe library.function("fault_calls")
        return unsafe calls(function)
    }

    /// Lets all calls of a function take longer.
    func delay(_ function: String, microseconds: UInt) throws {
        let delay: @convention(c) (UnsafePointer<CChar>, UInt) -> Void = try unsafe library.function("fault_delay")
        unsafe delay(function, microseconds)
    }

    /// Says that others made it than SoftHSM's makers.
    func setOfOthers() throws {
        let ofOthers: @convention(c) (Int32) -> Void = try unsafe library.function("fault_of_others")
        ofOthers(1)
    }

    /// The thread that the last signature was made on.
    func signingThread() throws -> UInt {
        let thread: @convention(c) () -> UInt = try unsafe library.function("fault_signing_thread")
        return thread()
    }

    /// Adds flags to those of slots and tokens.
    func setFlags(slot: UInt = 0, token: UInt = 0) throws {
        let flags: @convention(c) (UInt, UInt) -> Void = try unsafe library.function("fault_flags")
        flags(slot, token)
    }

    /// How points are shown: 1 not wrapped, 2 not on the curve, 3 longer than their place, 4 cut short.
    func setPointForm(_ form: Int32) throws {
        let point: @convention(c) (Int32) -> Void = try unsafe library.function("fault_point")
        point(form)
    }

    /// How many sessions can be open.
    func limitSessions(_ limit: Int32) throws {
        let sessions: @convention(c) (Int32) -> Void = try unsafe library.function("fault_sessions")
        sessions(limit)
    }

    /// Takes a token out, or puts it back.
    func setRemoved(_ token: String, _ isRemoved: Bool) throws {
        let removed: @convention(c) (UnsafePointer<CChar>, Int32) -> Void = try unsafe library.function("fault_removed")
        unsafe removed(token, isRemoved ? 1 : 0)
    }

    /// Logs the process out of a token, as other code of it may.
    func logOut(_ token: String) throws {
        let logOut: @convention(c) (UnsafePointer<CChar>) -> UInt = try unsafe library.function("fault_log_out")
        #expect(unsafe logOut(token) == 0)
    }

    /// Where the PIN of the last login was in memory.
    func pinAddress() throws -> UnsafeRawPointer? {
        let address: @convention(c) () -> UnsafeRawPointer? = try unsafe library.function("fault_pin_address")
        return unsafe address()
    }
}
#endif
