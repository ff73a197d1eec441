/**
 * The yardstick of the HTTP benchmark: the least that a node:http server must do for a signed request. It reads the
 * body, looks up the key, checks the HMAC-SHA384 over path, nonce and body in constant time, and always answers the
 * same JSON text. It has no parsing, no orders, no log.
 *
 * usage: node bench/http-bare.ts REPLY     prints its port
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SIGNED_PATH, traders } from './http-traffic.ts';

const reply = process.argv[2];
const length = Buffer.byteLength(reply);
const secrets = new Map(traders.map(({ key, secret }) => [key, createSecretKey(secret, 'utf8')]));

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const { headers } = request;
    const secret = secrets.get(headers['request-api'] as string);
    const given = Buffer.from(headers['request-sign'] as string, 'hex');
    const own = createHmac('sha384', secret!)
      .update(SIGNED_PATH + headers['request-nonce'])
      .update(body)
      .digest();
    const status = timingSafeEqual(own, given) ? 200 : 401;
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
    response.end(reply);
  });
});

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
