// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPMessage
import HTTPTypes
import Hummingbird

extension Response {
    /// The response of a guard, for Hummingbird.
    init(_ response: HTTPMessage.HTTPResponse) {
        self.init(
            status: .init(code: response.status),
            headers: HTTPTypes.HTTPFields(response.fields),
            body: .init(byteBuffer: ByteBuffer(bytes: response.body))
        )
    }
}
#endif
