import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlServer } from '../../src/api/control/server.ts';
import { ControlTokens } from '../../src/api/control/tokens.ts';
import { controlError } from '../../src/api/gateway/error-bodies.ts';
import { engineError, isUnavailable } from '../../src/api/shared/engine-errors.ts';
import type { ApiError } from '../../src/api/shared/errors.ts';
import { ArchiveBusy, ArchiveNoRoom } from '../../src/archive/archive.ts';
import {
  CommandRejected,
  EngineBusy,
  EngineFollows,
  EngineReadOnly,
  EngineRebuilding,
  EngineStopped,
  StateReplaced,
} from '../../src/engine/contract/errors.ts';
import { LogFull } from '../../src/log/contract/command-log.ts';

const CASES = [
  { thrown: new EngineBusy(9), reason: 'busy', status: 503, unavailable: true },
  { thrown: new EngineReadOnly('no room'), reason: 'readOnly', status: 503, unavailable: true },
  { thrown: new EngineRebuilding('rebuilding'), reason: 'readOnly', status: 503, unavailable: true },
  { thrown: new StateReplaced(), reason: 'stateReplaced', status: 503, unavailable: true },
  { thrown: new EngineStopped('it is stopping'), reason: 'stopped', status: 503, unavailable: true },
  { thrown: new ArchiveBusy('there was no answer'), reason: 'busy', status: 503, unavailable: true },
  { thrown: new ArchiveNoRoom('full'), reason: 'noRoom', status: 507, unavailable: true },
  { thrown: new CommandRejected(7), reason: 'commandFailed', status: 500, unavailable: false },
] as const;

for (const { thrown, reason, status, unavailable } of CASES) {
  test(`${thrown.name} is ${reason}, ${status}, on the control surface as at the gateway`, async (t) => {
    assert.deepEqual([engineError(thrown)?.reason, engineError(thrown)?.status], [reason, status]);
    assert.equal(isUnavailable(thrown), unavailable);

    const bugs: unknown[] = [];
    const token = 'a-token-of-this-test';
    const tokens = new ControlTokens({ start: token, kept: [], save: () => {}, wallMs: () => 0 });
    const door = { tokens, venue: { seq: 1 }, metrics: () => Promise.reject(thrown) };
    const context = door as unknown as ConstructorParameters<typeof ControlServer>[0];
    const server = new ControlServer(context, { host: '127.0.0.1', port: 0, onBug: (bug) => bugs.push(bug) });
    const url = await server.listen();
    t.after(() => server.close());
    const response = await fetch(`${url}/control/v1/metrics`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(response.status, status);
    assert.equal(((await response.json()) as { error: { reason: string } }).error.reason, reason);
    assert.deepEqual(bugs, unavailable ? [] : [thrown]);
  });
}

test('a standby names the address of its leader for clients, or for operators, or else its name', () => {
  const addresses = { http: 'http://db-1:8080', control: 'http://db-1:8081' };
  const thrown = new EngineFollows({ name: 'process 7 on db-1', addresses });
  assert.equal(isUnavailable(thrown), true);
  const error = engineError(thrown);
  assert.deepEqual([error?.reason, error?.status, error?.params], ['notLeading', 503, { leader: addresses.http }]);
  const control = engineError(thrown, 'control') as ApiError;
  assert.deepEqual([controlError(control).status, control.params], [409, { leader: addresses.control }]);
  const unknown = engineError(new EngineFollows({ name: 'process 7 on db-1', addresses: undefined }));
  assert.deepEqual(unknown?.params, { leader: 'process 7 on db-1' });
});

test('a client learns how much room the log needs, not where', () => {
  const full = new LogFull('/srv/venue/data', 4096);
  const thrown = new EngineReadOnly(full.message, { cause: full, clientMessage: full.need });
  assert.equal(
    thrown.message,
    'read-only, no space left for the command log: 4096 bytes must be free in /srv/venue/data',
  );
  assert.deepEqual(engineError(thrown)?.params, {
    problem: 'read-only, no space left for the command log: 4096 bytes must be free',
  });
});

test('what the engine did not throw is no error of the engine', () => {
  assert.equal(engineError(new Error('a mistake')), null);
  assert.equal(isUnavailable(new Error('a mistake')), false);
});
