// SPDX-License-Identifier: Apache-2.0

/// What holds for every command: the first words of the reference.
enum HelpConventions {
    static let paragraphs = [
        "Results go to standard output, everything else to standard error: `keybound: what went wrong`, then `hint: what "
            + "to do`. `--quiet` leaves out remarks, `--json` prints the result for a script. Colours are used on a "
            + "terminal only, and never when `NO_COLOR` is set.",
        "Secrets are never arguments, since every user of the machine can read those: passwords, passphrases, "
            + "credentials, code verifiers and tokens are typed without echo, or read from a file, from standard input "
            + "(`-`), or from a file descriptor. They are printed only by an option that says so.",
        "`keybound help COMMAND` and `keybound COMMAND --help` print the same as this page.",
    ]
}
