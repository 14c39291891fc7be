// SPDX-License-Identifier: Apache-2.0

import CFuzzer
import FuzzTargets
import Glibc
import TestSupport

/// The target of this run, by the name in the environment; libFuzzer keeps the arguments for itself.
private let target: FuzzTarget = {
    let name = unsafe getenv("KEYBOUND_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        Finding.report("KEYBOUND_FUZZ_TARGET is none of \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    }
    return target
}()

/// Called by libFuzzer with each input; a finding ends the process, and libFuzzer then writes the input to a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
    let seconds = ProcessorTime.leastSeconds(limit: maximumSeconds) { target.run(input) }
    if seconds > maximumSeconds { Finding.report("\(size) bytes took \(seconds) s") }
    return 0
}

/// An input of 16 KiB takes some milliseconds in this build; what takes this long grows faster than its input.
private let maximumSeconds = 0.5

/// Called by libFuzzer to change an input in place: half of the time inside of what the target's input encodes.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: UInt32) -> Int {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
    guard seed.isMultiple(of: 2), let parts = target.parts(input), !parts.isEmpty else {
        return unsafe LLVMFuzzerMutate(data, size, maximum)
    }
    var changed = parts
    let number = Int(seed / 2) % parts.count
    changed[number] = unsafe mutated(parts[number], maximum: maximum)
    let output = target.join(changed)
    guard output.count <= maximum else { return unsafe LLVMFuzzerMutate(data, size, maximum) }
    for (index, byte) in output.enumerated() { unsafe data[index] = byte }
    return output.count
}

@unsafe
private func mutated(_ part: [UInt8], maximum: Int) -> [UInt8] {
    let room = max(maximum, part.count)
    var buffer = part + [UInt8](repeating: 0, count: room - part.count)
    let count = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.map { unsafe LLVMFuzzerMutate($0, part.count, room) } ?? 0
    }
    return Array(buffer.prefix(count))
}
