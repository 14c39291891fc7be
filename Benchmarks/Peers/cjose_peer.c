// SPDX-License-Identifier: Apache-2.0
// DPoP with cjose, the library of mod_auth_openidc and mod_oauth2: keys and signatures by the library, the rest here.

#include "harness.h"

#include <cjose/cjose.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <search.h>

enum { MAXIMUM_AGE = 300 };

static const char *const private_members[] = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"};
static cjose_jwk_t *signing_key;
static char *signing_jwk;
static json_t **sample_keys;

/* SHA-256 in base64url, with a zero at the end. */
static void hash(const char *text, char output[44]) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)text, strlen(text), digest);
    char *encoded = NULL;
    size_t length = 0;
    cjose_err error;
    if (!cjose_base64url_encode(digest, sizeof digest, &encoded, &length, &error) || length != 43) fail("no base64url");
    memcpy(output, encoded, 43);
    output[43] = '\0';
    free(encoded);
}

static bool is(const json_t *object, const char *name, const char *expected) {
    const char *value = json_string_value(json_object_get(object, name));
    return value != NULL && strcmp(value, expected) == 0;
}

/* Whether the proof is new; remembers it. Search trees are what the C library has. */
static bool remember(const char *jkt, const char *jti) {
    static void *seen;
    char *key = malloc(strlen(jkt) + strlen(jti) + 2);
    sprintf(key, "%s %s", jkt, jti);
    char **found = tsearch(key, &seen, (int (*)(const void *, const void *))strcmp);
    if (*found == key) return true;
    free(key);
    return false;
}

static bool check_claims(const struct peer *peer, const json_t *claims, const json_t *jwk, const char *jkt) {
    char input[256], digest[44];
    const char *x = json_string_value(json_object_get(jwk, "x")), *y = json_string_value(json_object_get(jwk, "y"));
    const char *jti = json_string_value(json_object_get(claims, "jti"));
    const json_int_t age = peer->now - json_integer_value(json_object_get(claims, "iat"));
    if (x == NULL || y == NULL || jti == NULL || age > MAXIMUM_AGE || age < -MAXIMUM_AGE) return false;
    if (!is(claims, "htm", peer->method) || !is(claims, "htu", peer->uri) || !is(claims, "nonce", peer->nonce)) return false;
    hash(peer->access_token, digest);
    if (!is(claims, "ath", digest)) return false;
    const char *form = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}";
    if (snprintf(input, sizeof input, form, x, y) >= (int)sizeof input) return false;
    hash(input, digest);
    return strcmp(digest, jkt) == 0 && remember(jkt, jti);
}

static json_t *check_header(cjose_header_t *header, cjose_err *error) {
    const char *type = cjose_header_get(header, "typ", error), *algorithm = cjose_header_get(header, "alg", error);
    if (type == NULL || strcmp(type, "dpop+jwt") != 0 || algorithm == NULL || strcmp(algorithm, "ES256") != 0) return NULL;
    char *text = cjose_header_get_raw(header, "jwk", error);
    json_t *jwk = text == NULL ? NULL : json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    for (size_t index = 0; index < sizeof private_members / sizeof *private_members; index++) {
        if (json_object_get(jwk, private_members[index]) == NULL) continue;
        json_decref(jwk);
        return NULL;
    }
    if (is(jwk, "kty", "EC") && is(jwk, "crv", "P-256")) return jwk;
    json_decref(jwk);
    return NULL;
}

/* The key in the library's form; it reads text, and a JSON object only in a type of its own. */
static cjose_jwk_t *import(const json_t *jwk, cjose_err *error) {
    char *text = json_dumps(jwk, JSON_COMPACT);
    cjose_jwk_t *key = text == NULL ? NULL : cjose_jwk_import(text, strlen(text), error);
    free(text);
    return key;
}

bool verify(const struct peer *peer, const char *proof, const char *jkt) {
    cjose_err error;
    cjose_jws_t *token = cjose_jws_import(proof, strlen(proof), &error);
    if (token == NULL) return false;
    json_t *jwk = check_header(cjose_jws_get_protected(token), &error), *claims = NULL;
    cjose_jwk_t *key = jwk == NULL ? NULL : import(jwk, &error);
    uint8_t *payload = NULL;
    size_t length = 0;
    bool accepted = false;
    if (key != NULL && cjose_jws_verify(token, key, &error) && cjose_jws_get_plaintext(token, &payload, &length, &error)) {
        claims = json_loadb((const char *)payload, length, JSON_REJECT_DUPLICATES, NULL);
        accepted = claims != NULL && check_claims(peer, claims, jwk, jkt);
    }
    json_decref(claims);
    json_decref(jwk);
    cjose_jwk_release(key);
    cjose_jws_release(token);
    return accepted;
}

/* The library verifies tokens, not bytes: the token is taken apart too. */
bool import_and_verify(const struct peer *peer, size_t number) {
    cjose_err error;
    const char *proof = proof_of(peer, number);
    cjose_jwk_t *key = import(sample_keys[number], &error);
    cjose_jws_t *token = cjose_jws_import(proof, strlen(proof), &error);
    const bool accepted = key != NULL && token != NULL && cjose_jws_verify(token, key, &error);
    cjose_jws_release(token);
    cjose_jwk_release(key);
    return accepted;
}

bool create(const struct peer *peer) {
    cjose_err error;
    unsigned char random[16];
    char *jti = NULL, ath[44];
    size_t length = 0;
    if (RAND_bytes(random, sizeof random) != 1) return false;
    if (!cjose_base64url_encode(random, sizeof random, &jti, &length, &error)) return false;
    hash(peer->access_token, ath);
    json_t *claims = json_pack("{s:s%,s:s,s:s,s:I,s:s,s:s}", "jti", jti, length, "htm", peer->method, "htu", peer->uri, "iat",
        (json_int_t)time(NULL), "ath", ath, "nonce", peer->nonce);
    char *payload = json_dumps(claims, JSON_COMPACT);
    cjose_header_t *header = cjose_header_new(&error);
    const char *text = NULL;
    cjose_header_set(header, "typ", "dpop+jwt", &error);
    cjose_header_set(header, "alg", "ES256", &error);
    cjose_header_set_raw(header, "jwk", signing_jwk, &error);
    cjose_jws_t *token = cjose_jws_sign(signing_key, header, (const uint8_t *)payload, strlen(payload), &error);
    const bool made = token != NULL && cjose_jws_export(token, &text, &error);
    cjose_jws_release(token);
    cjose_header_release(header);
    free(payload);
    json_decref(claims);
    free(jti);
    return made;
}

static json_t *key_of(const char *proof) {
    cjose_err error;
    cjose_jws_t *token = cjose_jws_import(proof, strlen(proof), &error);
    json_t *jwk = token == NULL ? NULL : check_header(cjose_jws_get_protected(token), &error);
    cjose_jws_release(token);
    if (jwk == NULL) fail("a proof without a key");
    return jwk;
}

int main(int count, char **arguments) {
    cjose_err error;
    json_t *file = count == 2 ? json_load_file(arguments[1], 0, NULL) : NULL;
    const struct peer peer = read_peer(file);
    signing_key = cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &error);
    signing_jwk = cjose_jwk_to_json(signing_key, false, &error);
    sample_keys = calloc(peer.count, sizeof *sample_keys);
    for (size_t number = 0; number < peer.count; number++) sample_keys[number] = key_of(proof_of(&peer, number));
    run(&peer, file);
    return 0;
}
