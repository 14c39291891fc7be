// SPDX-License-Identifier: Apache-2.0
// DPoP with jose: signature, header and claims by the library, the rest in harness.js.
'use strict';

const crypto = require('node:crypto');
const jose = require('jose');
const { refuse, run } = require('./harness.js');

(async () => {
  const { publicKey, privateKey } = await jose.generateKeyPair('ES256');
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: await jose.exportJWK(publicKey) };
  const checks = { typ: 'dpop+jwt', algorithms: ['ES256'] };

  await run({
    async verify(request, proof, jkt) {
      const { payload, protectedHeader } = await jose.jwtVerify(proof, jose.EmbeddedJWK, checks);
      const jwk = request.checkHeader(protectedHeader);
      request.checkClaims(payload, await jose.calculateJwkThumbprint(jwk), jkt);
    },
    async importAndVerify({ jwk, message, signature }) {
      const key = await jose.importJWK(jwk, 'ES256');
      if (!crypto.verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)) refuse('signature');
    },
    create: (request) => new jose.SignJWT(request.newClaims()).setProtectedHeader(header).sign(privateKey),
  });
})();
