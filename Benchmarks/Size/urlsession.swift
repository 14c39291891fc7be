// SPDX-License-Identifier: Apache-2.0

// Calls an API without sign-in: the size that URLSession alone adds to a program.
import Foundation
import FoundationNetworking

guard CommandLine.arguments.count > 1, let url = URL(string: CommandLine.arguments[1]) else {
    _ = URLSession(configuration: .ephemeral)
    print("usage: urlsession URL")
    // scripts/size inspects the process at this point.
    _ = readLine()
    exit(0)
}
let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url)
print(data.count)
