// SPDX-License-Identifier: Apache-2.0

import Glibc

// Gets tokens without a browser, with Keybound's client library, at a server of other authors, as a client that shows who it
// is; tells each step as a line of JSON.

guard let run = GrantRun(arguments: Array(CommandLine.arguments.dropFirst())) else {
    print("usage: interop-grants ISSUER CLIENT-ID METHOD SECRET AUDIENCE SCOPE USER-SCOPE")
    exit(2)
}
exit(await run.run() ? 0 : 1)
