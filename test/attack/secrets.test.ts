/**
 * No secret, signature, token or master key is found in anything that the venue writes or says: replies, standard
 * output, logs, and every file of the data folder, after use and abuse of each kind.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ControlClient } from '../../src/client/control.ts';
import { Place, stop } from '../cli/support.ts';
import { exchange, requestText } from '../support/raw-http.ts';
import { credentialHeaders, type TestKey } from '../support/signing.ts';
import { FUTURES, JSON_TYPE, LOOKUP, nextNonce, ORDERS, RESTING } from './target.ts';

const TOKEN = 'control-token-that-nobody-may-see';
const ALICE: TestKey = { key: 'alice-key', secret: 'alice-secret-that-nobody-may-see' };
const CONFIGURATION = {
  accounts: [
    { name: 'alice', balances: { USDT: '1000' }, keys: [{ ...ALICE, permissions: ['read', 'trading', 'wallet'] }] },
  ],
};

/** Everything that must not be found, and what was said. */
class Watch {
  readonly secrets = new Map<string, string>();
  readonly said: string[] = [];

  keep(name: string, secret: string): void {
    this.secrets.set(name, secret);
  }

  /** Names what was found in `text`, in clear, as hex, or as base64. */
  found(text: Buffer): string[] {
    return [...this.secrets].flatMap(([name, secret]) => {
      const bytes = Buffer.from(secret);
      const forms = [
        bytes,
        Buffer.from(bytes.toString('hex')),
        Buffer.from(bytes.toString('base64').replaceAll('=', '')),
      ];
      if (/^[0-9a-f]{64,}$/.test(secret)) forms.push(Buffer.from(secret, 'hex'));
      return forms.some((form) => text.includes(form)) ? [name] : [];
    });
  }
}

/** Sends a request and keeps its signature and its reply in the watch. */
async function say(
  watch: Watch,
  url: string,
  key: TestKey,
  method: string,
  target: string,
  body: string,
  headers = {},
) {
  const signed = credentialHeaders(key, target, body, { nonce: nextNonce() });
  watch.keep(`signature ${watch.secrets.size}`, signed['request-sign']);
  const answer = await exchange(url, requestText(method, target, { ...JSON_TYPE, ...signed, ...headers }, body));
  watch.said.push(JSON.stringify(answer));
  return answer;
}

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

test('after use and abuse, nothing secret is in replies, output, logs or files', async () => {
  await using place = new Place();
  const watch = new Watch();
  const config = place.path('config.json');
  writeFileSync(config, JSON.stringify(CONFIGURATION));
  const env = { BOURSE_CONTROL_TOKEN: TOKEN };
  const venue = await place.start(['--data', place.data, '--config', config, '--clock', 'manual'], env);
  const { http, control: controlUrl } = venue.ready;
  watch.keep('control token', TOKEN);
  watch.keep('secret of alice', ALICE.secret);
  watch.keep('master key', readFileSync(place.masterKey, 'utf8').trim());

  const control = new ControlClient({ url: controlUrl, token: TOKEN });
  await control.createAccount('carol');
  const carol = await control.createKey('carol', { permissions: ['read', 'trading'] });
  watch.keep('secret of carol', carol.secret);
  await control.deposit('carol', 'USDT', 1000);
  await control.setPrices('BTC-USDT', { index: 100 });
  await control.save('one');

  const body = JSON.stringify({ ...RESTING, clOrderId: 'mine' });
  for (const key of [ALICE, carol]) {
    assert.equal((await say(watch, http, key, 'POST', ORDERS, body))?.status, 200);
    assert.equal((await say(watch, http, key, 'GET', `${LOOKUP}?clOrderId=mine`, ''))?.status, 200);
    assert.equal((await say(watch, http, key, 'POST', ORDERS, body))?.status, 400);
    assert.equal((await say(watch, http, key, 'POST', FUTURES, '{'))?.status, 400);
    assert.equal((await say(watch, http, key, 'POST', `${ORDERS}/`, body))?.status, 404);
    assert.equal((await say(watch, http, key, 'POST', ORDERS, 'x'.repeat(70_000)))?.status, 413);
    for (const header of ['request-api', 'request-nonce', 'request-sign', 'btse-sign']) {
      assert.equal((await say(watch, http, key, 'POST', ORDERS, body, { [header]: key.secret }))?.status, 401);
    }
    assert.equal((await say(watch, http, { ...key, secret: 'wrong' }, 'POST', ORDERS, body))?.status, 401);
  }
  const wrongToken = await fetch(`${controlUrl}/control/v1/state`, { headers: { authorization: `Bearer ${TOKEN}x` } });
  watch.said.push(await wrongToken.text());
  for (const path of [
    '/state',
    '/markets',
    '/accounts/alice',
    '/accounts/carol',
    '/audit',
    '/health',
    '/metrics',
    '/nothing',
  ]) {
    const reply = await fetch(`${controlUrl}/control/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    watch.said.push(await reply.text());
  }
  await control.revokeKey(carol.key);
  await control.restore('one');

  const { code, stdout, stderr } = await stop(venue);
  assert.equal(code, 0);
  const replay = await place.run(['replay', place.data]);
  const verify = await place.run(['verify', place.data]);
  const wrongKey = await place.run(['start', '--data', place.data, '--port', '0', '--control-port', '0'], {
    BOURSE_MASTER_KEY: 'ab'.repeat(32),
    BOURSE_CONTROL_TOKEN: TOKEN,
  });
  assert.notEqual(wrongKey.code, 0);

  const outputs = {
    stdout,
    stderr,
    ...Object.fromEntries([replay, verify, wrongKey].map((run, i) => [`run ${i}`, run.stdout + run.stderr])),
  };
  for (const [name, text] of Object.entries(outputs)) assert.deepEqual(watch.found(Buffer.from(text)), [], name);
  for (const text of watch.said) assert.deepEqual(watch.found(Buffer.from(text)), [], text);
  const written = files(place.data);
  assert.ok(written.length >= 2);
  for (const file of written) {
    // The one file that is there to hold the token: it is private (test/cli/start.test.ts).
    const held = basename(file) === 'control-token' ? ['control token'] : [];
    assert.deepEqual(watch.found(readFileSync(file)), held, file);
  }
});
