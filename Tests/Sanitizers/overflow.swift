// SPDX-License-Identifier: Apache-2.0

// What scripts/sanitize tries AddressSanitizer with: one byte beyond the memory, when asked for, and a leak likewise.

let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
bytes.initialize(repeating: 0, count: 8)
if CommandLine.arguments.contains("overflow") { bytes[CommandLine.arguments.count + 6] = 1 }
if CommandLine.arguments.contains("leak") {
    for _ in 0..<100 { UnsafeMutablePointer<UInt8>.allocate(capacity: 1000).initialize(to: 1) }
}
bytes.deallocate()
