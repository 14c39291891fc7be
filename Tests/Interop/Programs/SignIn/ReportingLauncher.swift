// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Reporting

/// A browser that is somebody else: the script, which reads the URL from standard output.
struct ReportingLauncher: BrowserLauncher {
    func open(_ url: String) async throws(OAuthClientError) {
        Report.open(url)
    }
}
