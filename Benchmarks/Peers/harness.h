// SPDX-License-Identifier: Apache-2.0
// What the C programs share: the file of proofs, the clock and the answer.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct peer {
    const char *method, *uri, *access_token, *nonce;
    json_int_t now;
    size_t warm_up, count;
    json_t *proofs;
};

/* What a program does; each returns whether it worked, `verify` false for what is refused. */
bool verify(const struct peer *peer, const char *proof, const char *jkt);
bool import_and_verify(const struct peer *peer, size_t number);
bool create(const struct peer *peer);

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static const char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    if (text == NULL) fail("not a file of proofs");
    return text;
}

static const char *proof_of(const struct peer *peer, size_t number) {
    return text_of(json_array_get(peer->proofs, number), "proof");
}

static bool run_verify(const struct peer *peer, size_t number) {
    return verify(peer, proof_of(peer, number), text_of(json_array_get(peer->proofs, number), "jkt"));
}

static bool run_create(const struct peer *peer, size_t number) {
    (void)number;
    return create(peer);
}

static double processor_microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static json_t *measure(const struct peer *peer, bool (*operation)(const struct peer *, size_t)) {
    double start = 0;
    for (size_t number = 0; number < peer->count; number++) {
        if (number == peer->warm_up) start = processor_microseconds();
        if (!operation(peer, number)) fail("a good proof was refused, or none was made");
    }
    return json_real((processor_microseconds() - start) / (double)(peer->count - peer->warm_up));
}

static json_t *accepted_of(const struct peer *peer, const json_t *forged) {
    json_t *accepted = json_array(), *entry;
    size_t index;
    json_array_foreach(forged, index, entry) {
        const char *check = text_of(entry, "check"), *proof = text_of(entry, "proof"), *jkt = text_of(entry, "jkt");
        if (strcmp(check, "jti") == 0 && !verify(peer, proof, jkt)) continue;
        if (verify(peer, proof, jkt)) json_array_append_new(accepted, json_string(check));
    }
    return accepted;
}

static struct peer read_peer(const json_t *file) {
    struct peer peer = {
        .method = text_of(file, "method"), .uri = text_of(file, "uri"), .access_token = text_of(file, "accessToken"),
        .nonce = text_of(file, "nonce"), .now = json_integer_value(json_object_get(file, "now")),
        .warm_up = (size_t)json_integer_value(json_object_get(file, "warmUp")), .proofs = json_object_get(file, "proofs"),
    };
    peer.count = json_array_size(peer.proofs);
    return peer;
}

static void run(const struct peer *peer, const json_t *file) {
    json_t *accepted = accepted_of(peer, json_object_get(file, "forged"));
    json_t *answer = json_pack("{s:o,s:{s:o,s:o,s:o}}", "accepted", accepted, "rows", "dpop-verify",
        measure(peer, run_verify), "jwk-import-verify", measure(peer, import_and_verify), "dpop-create",
        measure(peer, run_create));
    json_dumpf(answer, stdout, 0);
    putchar('\n');
    json_decref(answer);
}
