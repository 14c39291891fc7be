// SPDX-License-Identifier: Apache-2.0

/// A connection to one port that is opened when it is needed, and given up after an error.
struct ClusterLink: ~Copyable {
    let port: UInt16
    private var connection: LoadConnection?

    init(port: UInt16) {
        self.port = port
        connection = nil
    }

    /// Sends a request and waits for its response.
    mutating func exchange(_ request: ClusterRequest) throws -> LoadResponse {
        var current = try connection.take() ?? LoadConnection(port: port)
        let answer = try current.exchange(
            request.method,
            request.target,
            fields: request.fields,
            body: request.body
        )
        // A load balancer closes the connection after an error of its own.
        if answer.status < 500 { connection = consume current }
        return answer
    }
}
