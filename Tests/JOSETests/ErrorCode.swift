// SPDX-License-Identifier: Apache-2.0

import JOSE
import Testing

/// The code of the error that an expression throws; `nil` when it throws none.
func errorCode<Result>(_ body: () throws -> Result) -> JOSEError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        if !(error is JOSEError) { Issue.record(error) }
        return (error as? JOSEError)?.code
    }
}
