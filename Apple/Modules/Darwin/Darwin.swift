// SPDX-License-Identifier: Apache-2.0

/// Declarations of what Darwin adds in Swift to its C functions, for type-checking only.

@_exported import Darwin

public var errno: Int32 {
    get { fatalError() }
    set { fatalError() }
}

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }

public var S_IFMT: mode_t { fatalError() }
public var S_IFREG: mode_t { fatalError() }
public var S_IFIFO: mode_t { fatalError() }
public var S_ISVTX: mode_t { fatalError() }
public var S_IFDIR: mode_t { fatalError() }
