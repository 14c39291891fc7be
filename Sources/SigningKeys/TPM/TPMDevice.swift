// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import OAuthCrypto
import OAuthSystem
import Synchronization

/// A TPM, used by one thread at a time over a connection that is opened on demand and closed when idle.
final class TPMDevice: Sendable {
    private struct State {
        var session: TPMSession?
        var lastUse = ContinuousClock.now
        /// Whether a check for an idle connection is scheduled.
        var isWatched = false
    }

    /// The number of attempts if the TPM is busy or out of memory; with the pauses about four seconds.
    private static let maximumAttempts = 16
    /// In microseconds.
    private static let pauses: ClosedRange<useconds_t> = 1000...500_000
    /// Configurations that name no device and lead to the TPM of the machine, with the places where Linux shows it: with
    /// and without the kernel's resource manager, and in sysfs for the daemon tpm2-abrmd on the system bus, because a
    /// sandbox may hide the devices (`PrivateDevices=`) and still have the daemon.
    ///
    /// Others lead to simulators, on sockets for example, or have options that may: of these TPMs nothing is known.
    static let placesOfMachine = [
        "device": ["/dev/tpmrm0", "/dev/tpm0"],
        "tabrmd": ["/dev/tpmrm0", "/dev/tpm0", "/sys/class/tpm/tpm0"],
    ]

    /// The TCTI loader's configuration of the TPM connection.
    let configuration: String
    private let authorization: SecretBytes?
    /// How long an unused connection stays open: others may need the memory of its keys.
    private let idleTime: Duration
    private let placesOfMachine: [String: [String]]
    private let state = Mutex(State())
    /// A separate serial queue, because TPMs are slow.
    private let queue = DispatchQueue(label: "keybound.tpm")
    private let deferredResult = DeferredResult()

    init(
        configuration: String,
        authorization: SecretBytes?,
        idleTime: Duration,
        placesOfMachine: [String: [String]] = TPMDevice.placesOfMachine
    ) {
        self.configuration = configuration
        self.authorization = authorization
        self.idleTime = idleTime
        self.placesOfMachine = placesOfMachine
    }

    deinit {
        close()
    }

    /// Runs a function with the TPM, on a thread of this object.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout TPMSession) throws(TPMStatus) -> Value
    ) async throws(KeyStoreError) -> Value {
        try await queue.run { () throws(KeyStoreError) in
            self.deferredResult.handOver()
            return try self.use(body)
        }
    }

    /// Signs a digest with a key of this TPM.
    ///
    /// With concurrent callers, each gets its result while the TPM makes the next signature. Waking a thread takes time
    /// in which the TPM would be idle.
    func sign(_ digest: [UInt8], with blob: TPMBlob) async throws(KeyStoreError) -> (r: [UInt8], s: [UInt8]) {
        deferredResult.noteCall()
        return try await queue.run(answering: deferredResult.endCall) { () throws(KeyStoreError) in
            try self.use(meanwhile: self.deferredResult.handOver) { session throws(TPMStatus) in
                try session.sign(digest, with: blob, meanwhile: self.deferredResult.handOver)
            }
        }
    }

    /// Runs a function with the TPM; blocks.
    ///
    /// It is run again from its start if the TPM was busy or out of memory. `meanwhile` is called before any wait for a
    /// caller or a new connection.
    func use<Value: Sendable>(
        meanwhile: () -> Void = {},
        _ body: @Sendable (inout TPMSession) throws(TPMStatus) -> Value
    ) throws(KeyStoreError) -> Value {
        let library = try TPMLibrary.load()
        let done = try state.withLockIfAvailable { state throws(KeyStoreError) in
            if state.session == nil { meanwhile() }
            return try use(&state, library, body)
        }
        if let done { return done }
        meanwhile()
        return try state.withLock { state throws(KeyStoreError) in try use(&state, library, body) }
    }

    private func use<Value: Sendable>(
        _ state: inout State,
        _ library: TPMLibrary,
        _ body: @Sendable (inout TPMSession) throws(TPMStatus) -> Value
    ) throws(KeyStoreError) -> Value {
        try SIGPIPEBlock.withoutIt { () throws(KeyStoreError) in
            defer { finish(&state) }
            return try attempt(&state.session, library, body)
        }
    }

    private func attempt<Value: Sendable>(
        _ session: inout TPMSession?,
        _ library: TPMLibrary,
        _ body: @Sendable (inout TPMSession) throws(TPMStatus) -> Value
    ) throws(KeyStoreError) -> Value {
        var pause = Self.pauses.lowerBound
        var isRestarted = false
        var isReconnected = false
        var number = 0
        while true {
            number += 1
            let wasIdle = session != nil
            do throws(TPMStatus) {
                var open =
                    if let current = session.take() { current } else { try connect(library) }
                defer { session = open }
                return try body(&open)
            } catch {
                switch error.kind {
                case .noMemory where number < Self.maximumAttempts:
                    if number == 1 { session?.flush() } else { session?.flushAll() }
                case .busy where number < Self.maximumAttempts:
                    break
                case .staleReference where !isRestarted:
                    isRestarted = true
                    session?.flushAll()
                    session = nil
                case .unreachable where wasIdle && !isReconnected:
                    // It broke since its last use, for example because the resource manager was restarted.
                    isReconnected = true
                    session = nil
                    continue
                default:
                    if !error.isOfTPM { session = nil }
                    throw explain(error)
                }
            }
            usleep(pause)
            pause = min(2 * pause, Self.pauses.upperBound)
        }
    }

    private func connect(_ library: TPMLibrary) throws(TPMStatus) -> TPMSession {
        // This detects most machines without a TPM; the library would print an error.
        if let path = devicePath, unsafe access(path, F_OK) != 0 {
            // TSS2_TCTI_RC_IO_ERROR, which the library would return.
            throw TPMStatus(0x000A_000A, "opening \(path)")
        }
        return try TPMSession(TPMContext(library, tcti: configuration), TPMParents(authorization: authorization))
    }

    /// The device file in the configuration, if there is one.
    private var devicePath: String? {
        let prefix = "device:"
        return configuration.hasPrefix(prefix) ? String(configuration.dropFirst(prefix.count)) : nil
    }

    /// Whether the configuration leads to the TPM of the machine, and the machine has none.
    private var isMachineWithoutTPM: Bool {
        guard let places = placesOfMachine[configuration] else { return false }
        return places.allSatisfy { unsafe access($0, F_OK) != 0 && errno == ENOENT }
    }

    /// The error for users, with what is known about the location of the TPM.
    func explain(_ status: TPMStatus) -> KeyStoreError {
        guard status.kind == .unreachable else { return status.keyStoreError }
        var reason = "the TPM cannot be reached through \(configuration)"
        // A TPM that other programs use, or whose connection broke, may work the next time.
        var mayWorkLater = true
        if let path = devicePath, unsafe access(path, R_OK | W_OK) != 0 {
            switch errno {
            case ENOENT:
                reason += ": there is no such device; a TPM may be switched off in the firmware"
                mayWorkLater = false
            case EACCES:
                // As on most desktops: this user has no TPM until an administrator decides otherwise.
                reason += ": the user must be in the group of the device, which is often called tss"
                mayWorkLater = false
            default: break
            }
        } else if isMachineWithoutTPM {
            reason += ": the machine has no such device; a TPM may be switched off in the firmware"
            mayWorkLater = false
        }
        return KeyStoreError(
            .deviceUnavailable,
            "\(reason) (\(status.description))",
            forbidsFallback: mayWorkLater
        )
    }

    private func finish(_ state: inout State) {
        guard idleTime > .zero else { return Self.close(&state.session) }
        state.lastUse = .now
        guard state.session != nil, !state.isWatched else { return }
        state.isWatched = true
        watch(for: idleTime)
    }

    private func watch(for time: Duration) {
        let (seconds, attoseconds) = time.components
        let wait = DispatchTimeInterval.nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
        queue.asyncAfter(deadline: .now() + wait) { [weak self] in self?.closeIfIdle() }
    }

    private func closeIfIdle() {
        deferredResult.handOver()
        let rest: Duration? = state.withLock { state in
            let rest = state.lastUse.advanced(by: idleTime) - .now
            if rest > .zero { return rest }
            state.isWatched = false
            SIGPIPEBlock.withoutIt { Self.close(&state.session) }
            return nil
        }
        if let rest { watch(for: rest) }
    }

    private func close() {
        state.withLock { state in SIGPIPEBlock.withoutIt { Self.close(&state.session) } }
    }

    private static func close(_ session: inout TPMSession?) {
        session?.flushAll()
        session = nil
    }
}
#endif
