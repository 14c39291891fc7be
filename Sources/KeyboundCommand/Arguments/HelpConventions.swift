// SPDX-License-Identifier: Apache-2.0

/// Conventions of all commands: the introduction of the reference.
enum HelpConventions {
    static let paragraphs = [
        "Results go to standard output, everything else to standard error: `keybound: what went wrong`, then `hint: "
            + "what to do`. `--quiet` suppresses remarks, `--json` prints the result for a script. Colours are used "
            + "only on a terminal, and never if `NO_COLOR` is set.",
        "Secrets are never arguments, because every user of the machine can read those. Passwords, passphrases, "
            + "credentials, code verifiers and tokens are typed without echo, or read from a file, from standard "
            + "input (`-`), or from a file descriptor. What is stored is printed only with an option that "
            + "says so; what a command has just made is printed once.",
        "`keybound help COMMAND` and `keybound COMMAND --help` print the same text as this page. The first words of "
            + "several commands alone, such as `keybound user`, list these commands.",
        "A time in the result of `--json` is a number of seconds since 1970, as in tokens and in the responses of a server "
            + "(RFC 7519 section 2, RFC 7591 section 3.2.1). Texts and logs show times in the format of RFC 3339, in UTC.",
    ]
}
