// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// One thing at a time, on a thread outside the cooperative pool: for what waits on disks, devices and people.
struct KeyStoreQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs the work and waits for it without blocking.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(KeyStoreError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
