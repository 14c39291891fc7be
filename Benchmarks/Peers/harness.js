// SPDX-License-Identifier: Apache-2.0
// What the JavaScript programs share: the file of proofs, the checks that no JOSE library does, the clock and the answer.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAXIMUM_AGE = 300;

function refuse(why) {
  throw new Error(why);
}

function accessTokenHash(token) {
  return crypto.createHash('sha256').update(token).digest('base64url');
}

/** The request that a proof came with, and the proofs that came before. */
class Request {
  constructor(file) {
    Object.assign(this, file);
    this.seen = new Set();
  }

  /** Checks the header; returns the public key. */
  checkHeader(header) {
    if (header.typ !== 'dpop+jwt' || header.alg !== 'ES256') refuse('header');
    const { jwk } = header;
    if (typeof jwk !== 'object' || jwk === null || PRIVATE_MEMBERS.some((name) => name in jwk)) refuse('jwk');
    return jwk;
  }

  /** Checks what is signed, after the signature. */
  checkClaims(claims, thumbprint, jkt) {
    if (claims.htm !== this.method || claims.htu !== this.uri) refuse('request');
    if (!(Math.abs(this.now - claims.iat) <= MAXIMUM_AGE)) refuse('iat');
    if (claims.ath !== accessTokenHash(this.accessToken)) refuse('ath');
    if (claims.nonce !== this.nonce || thumbprint !== jkt) refuse('nonce or key');
    if (typeof claims.jti !== 'string') refuse('jti');
    const key = `${jkt} ${claims.jti}`;
    if (this.seen.has(key)) refuse('replay');
    this.seen.add(key);
  }

  newClaims() {
    return {
      jti: crypto.randomBytes(16).toString('base64url'), htm: this.method, htu: this.uri,
      iat: Math.floor(Date.now() / 1000), ath: accessTokenHash(this.accessToken), nonce: this.nonce,
    };
  }
}

/** The parts of a proof for the row that imports a key and verifies. */
function sample(proof) {
  const [head, payload, signature] = proof.split('.');
  return {
    jwk: JSON.parse(Buffer.from(head, 'base64url')).jwk,
    message: Buffer.from(`${head}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Calls verify(request, proof, jkt), importAndVerify(sample) and create(request), and times them. */
async function run({ verify, importAndVerify, create }) {
  const file = JSON.parse(fs.readFileSync(process.argv[2]));
  const { proofs, forged, warmUp } = file;
  const request = new Request(file);

  async function accepts(entry) {
    try {
      if (entry.check === 'jti') await verify(request, entry.proof, entry.jkt);
      await verify(request, entry.proof, entry.jkt);
      return true;
    } catch {
      return false;
    }
  }

  async function measure(operation) {
    for (let i = 0; i < warmUp; i++) await operation(i);
    const start = process.cpuUsage();
    for (let i = warmUp; i < proofs.length; i++) await operation(i);
    const used = process.cpuUsage(start);
    return (used.user + used.system) / (proofs.length - warmUp);
  }

  const accepted = [];
  for (const entry of forged) if (await accepts(entry)) accepted.push(entry.check);
  const samples = proofs.map((entry) => sample(entry.proof));
  const rows = {
    'dpop-verify': await measure((i) => verify(request, proofs[i].proof, proofs[i].jkt)),
    'jwk-import-verify': await measure((i) => importAndVerify(samples[i])),
    'dpop-create': await measure(() => create(request)),
  };
  console.log(JSON.stringify({ accepted, rows }));
}

module.exports = { refuse, run };
