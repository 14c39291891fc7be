// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurlShim
import HTTPMessage

/// An ``AddressPolicy`` as libcurl asks it: with the address of each socket, just before it is opened.
///
/// The name was resolved by then, so a name that resolves to another address the second time gains nothing.
@safe
final class CurlAddressGate {
    private let policy: AddressPolicy
    let pointer: UnsafeMutablePointer<keybound_curl_gate>
    /// Whether it refused an address.
    private(set) var hasRefused = false

    init(_ policy: AddressPolicy) {
        self.policy = policy
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: keybound_curl_gate(permits: Self.permits, context: nil))
        unsafe pointer.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        unsafe pointer.deallocate()
    }

    /// The handle keeps the gate alive while libcurl may call this.
    private static let permits: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32 = {
        context,
        bytes,
        count in
        guard let context = unsafe context, let bytes = unsafe bytes,
            let address = unsafe IPAddress(octets: Array(UnsafeBufferPointer(start: bytes, count: count)))
        else { return 0 }
        return unsafe Unmanaged<CurlAddressGate>.fromOpaque(context).takeUnretainedValue().permits(address) ? 1 : 0
    }

    private func permits(_ address: IPAddress) -> Bool {
        if policy.permits(address) { return true }
        hasRefused = true
        return false
    }
}
#endif
