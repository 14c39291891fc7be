// SPDX-License-Identifier: Apache-2.0

import PKCE
import Testing

/// The code of the error that an expression throws; `nil` when it throws none.
func errorCode<Result>(_ body: () throws -> Result) -> PKCEError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        if !(error is PKCEError) { Issue.record(error) }
        return (error as? PKCEError)?.code
    }
}
