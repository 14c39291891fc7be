// SPDX-License-Identifier: Apache-2.0

import SigningKeys

/// Where the app of the demo keeps its key: in memory, unless told otherwise.
struct DemoKey: Sendable {
    /// What is said of it.
    let description: String
    let store: any KeyStore

    /// In the memory of the process, as long as the demo runs.
    static var memory: DemoKey { DemoKey(description: "in memory", store: MemoryKeyStore()) }

    #if os(Linux)
    /// In the place that was asked for; what is not secret lies in the directory of the demo.
    static func placed(
        _ choice: KeyChoice,
        in directory: String,
        pin: @escaping @Sendable () throws -> [UInt8]
    ) throws -> DemoKey {
        let place: AccountKeyPlace
        switch choice {
        case .auto, .file:
            return DemoKey(description: "in a file", store: UnencryptedFileKeyStore(directory: directory))
        case .secretService: place = .secretService
        case .tpm: place = .tpm
        case .token(let uri): place = .token(uri: uri)
        }
        let store = try KeyDevices.store(place, named: "keybound-demo", in: directory, pin: pin)
        return DemoKey(description: place.description, store: store)
    }
    #endif
}
