// SPDX-License-Identifier: Apache-2.0
// DPoP with iddawc, which has functions for it, on rhonabwy and GnuTLS; the key row is rhonabwy's.
//
// The packages with the headers cannot be installed next to the one that Swift needs, so what is called is declared here, as
// in iddawc.h 1.1 and rhonabwy.h 1.1.

#include "harness.h"

struct _i_session;
typedef json_t jwk_t;
typedef struct jws jws_t;

enum { OK = 0, ACCESS_TOKEN = 24, TOKEN_JTI_GENERATE = 49, DPOP_SIGN_ALG = 75, DPOP_NONCE_RS = 129 };
enum { IGNORE_REMOTE = 0x100, EC_KEY = 0x10000, MAXIMUM_AGE = 300 };

int i_global_init(void);
int i_init_session(struct _i_session *session);
int i_set_int_parameter(struct _i_session *session, unsigned int option, unsigned int value);
int i_set_str_parameter(struct _i_session *session, unsigned int option, const char *value);
int i_set_client_jwks(struct _i_session *session, json_t *keys);
char *i_generate_dpop_token(struct _i_session *session, const char *htm, const char *htu, time_t iat, int add_ath);
int i_verify_dpop_proof(
    const char *proof, const char *htm, const char *htu, time_t max_iat, const char *jkt, const char *access_token);
void i_free(void *data);
int r_jwk_init(jwk_t **key);
void r_jwk_free(jwk_t *key);
int r_jwk_import_from_json_t(jwk_t *key, json_t *object);
int r_jwk_generate_key_pair(jwk_t *private, jwk_t *public, int type, unsigned int bits, const char *kid);
json_t *r_jwk_export_to_json_t(jwk_t *key);
int r_jws_init(jws_t **token);
void r_jws_free(jws_t *token);
int r_jws_parse(jws_t *token, const char *text, int flags);
int r_jws_verify_signature(jws_t *token, jwk_t *key, int flags);
json_t *r_jws_get_header_json_t_value(jws_t *token, const char *name);

/* Larger than the structure. */
static _Alignas(16) unsigned char session_memory[8192];
static struct _i_session *const session = (struct _i_session *)session_memory;
static json_t **sample_keys;

/* No nonce and no memory of used proofs: the function has no such thing. It reads the clock by itself. */
bool verify(const struct peer *peer, const char *proof, const char *jkt) {
    const time_t maximum = MAXIMUM_AGE + time(NULL) - peer->now;
    return i_verify_dpop_proof(proof, peer->method, peer->uri, maximum, jkt, peer->access_token) == OK;
}

/* The library verifies tokens, not bytes: the token is taken apart too. */
bool import_and_verify(const struct peer *peer, size_t number) {
    jwk_t *key = NULL;
    jws_t *token = NULL;
    const bool accepted = r_jwk_init(&key) == OK && r_jwk_import_from_json_t(key, sample_keys[number]) == OK
        && r_jws_init(&token) == OK && r_jws_parse(token, proof_of(peer, number), IGNORE_REMOTE) == OK
        && r_jws_verify_signature(token, key, IGNORE_REMOTE) == OK;
    r_jws_free(token);
    r_jwk_free(key);
    return accepted;
}

bool create(const struct peer *peer) {
    if (i_set_int_parameter(session, TOKEN_JTI_GENERATE, 16) != OK) return false;
    char *proof = i_generate_dpop_token(session, peer->method, peer->uri, 0, 1);
    const bool made = proof != NULL;
    i_free(proof);
    return made;
}

static json_t *key_of(const char *proof) {
    jws_t *token = NULL;
    if (r_jws_init(&token) != OK || r_jws_parse(token, proof, IGNORE_REMOTE) != OK) fail("not a proof");
    json_t *jwk = r_jws_get_header_json_t_value(token, "jwk");
    if (jwk == NULL) fail("a proof without a key");
    r_jws_free(token);
    return jwk;
}

static void prepare_session(const struct peer *peer) {
    jwk_t *private = NULL, *public = NULL;
    if (i_global_init() != OK || i_init_session(session) != OK || r_jwk_init(&private) != OK || r_jwk_init(&public) != OK
        || r_jwk_generate_key_pair(private, public, EC_KEY, 256, "1") != OK)
        fail("no key");
    json_t *keys = json_pack("{s:[o]}", "keys", r_jwk_export_to_json_t(private));
    if (i_set_client_jwks(session, keys) != OK || i_set_str_parameter(session, DPOP_SIGN_ALG, "ES256") != OK
        || i_set_str_parameter(session, ACCESS_TOKEN, peer->access_token) != OK
        || i_set_str_parameter(session, DPOP_NONCE_RS, peer->nonce) != OK)
        fail("no session");
    json_decref(keys);
    r_jwk_free(private);
    r_jwk_free(public);
}

int main(int count, char **arguments) {
    json_t *file = count == 2 ? json_load_file(arguments[1], 0, NULL) : NULL;
    const struct peer peer = read_peer(file);
    prepare_session(&peer);
    sample_keys = calloc(peer.count, sizeof *sample_keys);
    for (size_t number = 0; number < peer.count; number++) sample_keys[number] = key_of(proof_of(&peer, number));
    run(&peer, file);
    return 0;
}
