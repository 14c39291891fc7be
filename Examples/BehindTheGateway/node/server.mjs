// SPDX-License-Identifier: Apache-2.0
// Notes, with Node, behind `keybound gateway`: server.mjs PORT
import { createServer } from 'node:http';

createServer((request, response) => {
  if (request.method !== 'GET' || request.url.split('?')[0] !== '/notes') return response.writeHead(404).end();
  const subject = request.headers['x-keybound-subject'] ?? '-';
  if (subject === '-') return response.writeHead(401).end(); // compared before it is decoded
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ 'notes of': decodeURIComponent(subject) }));
}).listen(Number(process.argv[2]), '127.0.0.1');
