// SPDX-License-Identifier: Apache-2.0

import StrictJSON
import Testing

/// The code of the error that an expression throws; `nil` when it throws none.
func errorCode<Result>(_ body: () throws -> Result) -> StrictJSONError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        if !(error is StrictJSONError) { Issue.record(error) }
        return (error as? StrictJSONError)?.code
    }
}
