// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import OAuthCore
import OAuthSystem

/// The functions of libcurl, loaded with the first request.
///
/// libcurl loads about twenty other libraries, and a server that sends no requests needs none of them.
@safe struct CurlLibrary: Sendable {
    let setOption: keybound_curl_setopt
    /// curl_easy_getinfo, looked up like ``setOption``.
    let information: keybound_curl_setopt
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

    /// 7.87.0: the first version that has every option in use, and whose global initialization may happen on any thread.
    ///
    /// In older ones a request that ends while a name server is silent holds up all others.
    static let leastVersion: UInt32 = 0x07_57_00

    private static let loaded = Result { () throws(OAuthCoreError) in try CurlLibrary("libcurl.so.4") }

    /// Looks up the functions once for the process; throws `transportFailed` if the system does not have the library.
    static func load() throws(OAuthCoreError) -> CurlLibrary {
        try loaded.get()
    }

    /// Loads a library by name.
    ///
    /// - Throws: `transportFailed` when the system does not have it, or it is too old.
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
        unsafe information = try library.function("curl_easy_getinfo")
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

    /// Checks the version, and initializes the global state.
    ///
    /// libcurl counts initializations, so other users in the process are not disturbed.
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
