// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The default transport of clients: libcurl on Linux, URLSession on Apple platforms.
public typealias PlatformTransport = CurlTransport
#else
/// The default transport of clients: URLSession on Apple platforms, libcurl on Linux.
public typealias PlatformTransport = URLSessionTransport
#endif
