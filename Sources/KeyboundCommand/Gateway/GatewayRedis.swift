// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import OAuthCrypto
import RedisReplay

/// The member `redis` of the configuration of a gateway: the memory of used proofs that several gateways share.
struct GatewayRedis {
    let configuration: RedisReplayConfiguration
    /// What all gateways make nonces with.
    let nonceSecret: DPoPNonceSecret

    /// - Returns: `nil` if used proofs are remembered by this process alone.
    init?(_ object: SettingsObject) throws {
        let known = ["address", "username", "passwordFile", "nonceSecretFile"]
        guard let settings = try object.object("redis", known: known) else { return nil }
        let address = try settings.requiredText("address")
        do {
            configuration = try Self.configuration(RedisAddress(address), settings)
        } catch let error as RedisReplayError {
            throw CommandFailure.usage("'redis.address': \(error.reason)")
        }
        let file = try settings.requiredFilePath("nonceSecretFile")
        let secret = try InputFile.secret(file, limit: 1024)
        guard secret.count == 32 else {
            throw CommandFailure.usage(
                "\(SafeText.of(file)) must have 32 random bytes, the same for all gateways",
                hint: "(umask 077; head -c 32 /dev/urandom >\(SafeText.of(file)))"
            )
        }
        // All gateways give a secret the same number, and two secrets in turn hardly ever the same.
        nonceSecret = DPoPNonceSecret(number: SHA256.hash(secret).bytes[0], bytes: secret)
    }

    private static func configuration(
        _ address: RedisAddress,
        _ settings: SettingsObject
    ) throws -> RedisReplayConfiguration {
        var configuration = RedisReplayConfiguration(address: address)
        configuration.username = try settings.text("username")
        configuration.password = try settings.filePath("passwordFile").map { Array(try InputFile.secretLine($0).utf8) }
        guard configuration.username == nil || configuration.password != nil else {
            throw CommandFailure.usage("'redis.username' needs a password: 'redis.passwordFile' is missing")
        }
        return configuration
    }
}
#endif
