// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import OAuthCore
import OAuthSystem

/// The functions of libcurl, loaded with the first request: it brings some twenty libraries with it, and a server that asks
/// nobody anything needs none of them.
@safe struct CurlLibrary: Sendable {
    let setOption: keybound_curl_setopt
    let easyInit: curl_easy_init_function
    let easyCleanup: curl_easy_cleanup_function
    let easyPause: curl_easy_pause_function
    let easyErrorText: curl_easy_strerror_function
    let listAppend: curl_slist_append_function
    let listFree: curl_slist_free_all_function
    let multiInit: curl_multi_init_function
    let multiCleanup: curl_multi_cleanup_function
    let multiAdd: curl_multi_add_handle_function
    let multiRemove: curl_multi_remove_handle_function
    let multiPerform: curl_multi_perform_function
    let multiInfoRead: curl_multi_info_read_function
    let multiPoll: curl_multi_poll_function
    let multiWakeup: curl_multi_wakeup_function

    /// 7.85.0: the first that has every option which is set, and whose global initialization may happen on any thread.
    static let leastVersion: UInt32 = 0x07_55_00

    private static let loaded = Result { () throws(OAuthCoreError) in try CurlLibrary("libcurl.so.4") }

    /// The functions, which are looked up once for the process; `transportFailed` when the system does not have the library.
    static func load() throws(OAuthCoreError) -> CurlLibrary {
        try loaded.get()
    }

    /// Loads a library of this name.
    ///
    /// - Throws: `transportFailed` when the system does not have it, or one that is too old.
    init(_ name: String, leastVersion: UInt32 = CurlLibrary.leastVersion) throws(OAuthCoreError) {
        do {
            try self.init(functionsOf: SharedLibrary(name), leastVersion: leastVersion)
        } catch let error as OAuthCoreError {
            throw error
        } catch {
            throw OAuthCoreError(
                .transportFailed,
                "libcurl cannot be loaded: install the Debian package libcurl4, or what it is called on your system",
                underlying: error
            )
        }
    }

    private init(functionsOf library: SharedLibrary, leastVersion: UInt32) throws {
        unsafe setOption = try library.function("curl_easy_setopt")
        unsafe easyInit = try library.function("curl_easy_init")
        unsafe easyCleanup = try library.function("curl_easy_cleanup")
        unsafe easyPause = try library.function("curl_easy_pause")
        unsafe easyErrorText = try library.function("curl_easy_strerror")
        unsafe listAppend = try library.function("curl_slist_append")
        unsafe listFree = try library.function("curl_slist_free_all")
        unsafe multiInit = try library.function("curl_multi_init")
        unsafe multiCleanup = try library.function("curl_multi_cleanup")
        unsafe multiAdd = try library.function("curl_multi_add_handle")
        unsafe multiRemove = try library.function("curl_multi_remove_handle")
        unsafe multiPerform = try library.function("curl_multi_perform")
        unsafe multiInfoRead = try library.function("curl_multi_info_read")
        unsafe multiPoll = try library.function("curl_multi_poll")
        unsafe multiWakeup = try library.function("curl_multi_wakeup")
        try Self.start(library, leastVersion)
    }

    /// Checks the version, and initializes what the process shares.
    ///
    /// libcurl counts how often that happens, so whoever else does it is not disturbed.
    private static func start(_ library: SharedLibrary, _ leastVersion: UInt32) throws {
        let versionInfo: curl_version_info_function = unsafe try library.function("curl_version_info")
        let globalInit: curl_global_init_function = unsafe try library.function("curl_global_init")
        guard let version = unsafe versionInfo(CURLVERSION_FIRST)?.pointee, unsafe version.version_num >= leastVersion
        else {
            let least = [16, 8, 0].map { String(leastVersion >> $0 & 0xFF) }.joined(separator: ".")
            throw OAuthCoreError(.transportFailed, "libcurl is too old: install \(least) or later")
        }
        guard globalInit(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK else {
            throw OAuthCoreError(.transportFailed, "libcurl cannot be initialized")
        }
    }
}
#endif
