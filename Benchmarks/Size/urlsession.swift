// SPDX-License-Identifier: Apache-2.0

// A call of an API without sign-in: what a program pays for URLSession alone.
import Foundation
import FoundationNetworking

guard CommandLine.arguments.count > 1, let url = URL(string: CommandLine.arguments[1]) else {
    _ = URLSession(configuration: .ephemeral)
    print("usage: urlsession URL")
    // Here scripts/size looks at the process.
    _ = readLine()
    exit(0)
}
let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url)
print(data.count)
