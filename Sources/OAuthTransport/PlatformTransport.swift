// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The transport that clients use unless told otherwise: libcurl on Linux, URLSession on Apple platforms.
public typealias PlatformTransport = CurlTransport
#else
/// The transport that clients use unless told otherwise: URLSession on Apple platforms, libcurl on Linux.
public typealias PlatformTransport = URLSessionTransport
#endif
