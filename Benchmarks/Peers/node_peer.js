// SPDX-License-Identifier: Apache-2.0
// DPoP with node:crypto alone, without a promise: the least that JavaScript needs.
'use strict';

const crypto = require('node:crypto');
const { refuse, run } = require('./harness.js');

const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) }));
const encodedHeader = header.toString('base64url');

function importAndVerify({ jwk, message, signature }) {
  const key = crypto.createPublicKey({ key: jwk, format: 'jwk' });
  if (!crypto.verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)) refuse('signature');
}

function thumbprint({ crv, kty, x, y }) {
  return crypto.createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

run({
  verify(request, proof, jkt) {
    const [head, payload, signature, more] = proof.split('.');
    if (signature === undefined || more !== undefined) refuse('form');
    const jwk = request.checkHeader(JSON.parse(Buffer.from(head, 'base64url')));
    importAndVerify({ jwk, message: Buffer.from(`${head}.${payload}`), signature: Buffer.from(signature, 'base64url') });
    request.checkClaims(JSON.parse(Buffer.from(payload, 'base64url')), thumbprint(jwk), jkt);
  },
  importAndVerify,
  create(request) {
    const input = `${encodedHeader}.${Buffer.from(JSON.stringify(request.newClaims())).toString('base64url')}`;
    const signature = crypto.sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  },
});
