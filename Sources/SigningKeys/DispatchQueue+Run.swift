// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension DispatchQueue {
    /// Does what blocks on a thread of this queue, not on one of the cooperative pool.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { continuation in
            async {
                do throws(KeyStoreError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
