// SPDX-License-Identifier: Apache-2.0

/// What clients of one server can share: its metadata, its keys, and how far its clock is from the device's.
///
/// Several accounts at one server then fetch its metadata once. A client that is given no context makes one of its own.
/// Share a context only among clients with the same transport settings, since a document comes by way of the transport of
/// the client that first needed it.
public struct ServerContext: Sendable {
    /// The issuer identifier of the server.
    public let issuer: String
    let metadata = MetadataCache()
    let keys = ServerKeys()
    let correction = ClockCorrection()
    /// How often users may be asked to step up; they outlive sessions.
    let stepUps: StepUpLimits

    /// Makes an empty context.
    ///
    /// - Parameter issuer: The issuer identifier, the same to the last character as that of the clients.
    public init(issuer: String) {
        self.init(issuer: issuer, stepUps: StepUpLimits())
    }

    /// Makes a context with the limits of another one.
    init(issuer: String, stepUps: StepUpLimits) {
        self.issuer = issuer
        self.stepUps = stepUps
    }
}
