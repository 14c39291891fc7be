// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCore

/// The running requests, on the thread of the loop.
@safe
struct CurlTransfers {
    private let multi: CurlMulti
    private var transfers: [Int: CurlTransfer] = [:]
    private var numbers: [UnsafeMutableRawPointer: Int] = unsafe [:]

    init(_ multi: CurlMulti) {
        self.multi = multi
    }

    var isEmpty: Bool { transfers.isEmpty }

    mutating func begin(
        _ number: Int,
        _ request: CurlRequest,
        _ answer: CurlResponse,
        _ configuration: CurlTransportConfiguration,
        onMoreBody: @escaping @Sendable () -> Void
    ) {
        do throws(OAuthCoreError) {
            let transfer = try CurlTransfer(request, answer, configuration, multi.library, onMoreBody: onMoreBody)
            try multi.add(transfer.handle)
            transfers[number] = transfer
            unsafe numbers[transfer.handle.pointer] = number
        } catch {
            answer.finish(error)
        }
    }

    /// Resumes a paused transfer.
    func goOn(_ number: Int) {
        transfers[number]?.handle.unpause()
    }

    mutating func cancel(_ number: Int) {
        take(number)?.cancel()
    }

    /// Sends and receives without blocking, and ends finished transfers.
    mutating func perform() {
        for unsafe(handle, result) in unsafe multi.perform() {
            if let number = unsafe numbers[handle] { take(number)?.finish(result) }
        }
    }

    private mutating func take(_ number: Int) -> CurlTransfer? {
        guard let transfer = transfers.removeValue(forKey: number) else { return nil }
        unsafe numbers[transfer.handle.pointer] = nil
        multi.remove(transfer.handle)
        return transfer
    }
}
#endif
