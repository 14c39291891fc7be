// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let signingKeys = Setting(
        "keys.place",
        .text,
        option: "--signing-keys",
        "PLACE",
        standard: "database",
        "where new signing keys are created: database, or a PKCS #11 token, as pkcs11:token=NAME?module-path=FILE"
    )
    static let signingKeysPINFile = Setting(
        "keys.pinFile",
        .path(),
        option: "--signing-keys-pin-file",
        "FILE",
        standard: "pin-source of the URI",
        "a file with the PIN of that token on a single line, not readable by others"
    )
    static let signingKeysPINDescriptor = Setting(
        "keys.pinFD",
        .number,
        option: "--signing-keys-pin-fd",
        "N",
        standard: "none",
        "an open file descriptor from which the PIN is read once, at start"
    )
    static let signingKeysPINCredential = Setting(
        "keys.pinCredential",
        .text,
        option: "--signing-keys-pin-credential",
        "NAME",
        standard: "keybound-pin, when $CREDENTIALS_DIRECTORY of systemd has it",
        "the systemd credential with the PIN"
    )

    static let signingKeyPlaces: [Setting] = [
        signingKeys, signingKeysPINFile, signingKeysPINDescriptor, signingKeysPINCredential,
    ]
}
