// SPDX-License-Identifier: Apache-2.0

import SigningKeys

/// Where the app of the demo keeps its key: by default in memory.
struct DemoKey: Sendable {
    /// The location in words.
    let description: String
    let store: any KeyStore

    /// In the memory of the process.
    static var memory: DemoKey { DemoKey(description: "in memory", store: MemoryKeyStore()) }

    #if os(Linux)
    /// In the chosen location; data that is not secret is stored in the directory of the demo.
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
