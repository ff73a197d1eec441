/** The options of the venue that a scenario runs in. */
import { dirname, resolve } from 'node:path';
import type { StartVenueOptions } from '../index.ts';
import type { Scenario } from './load.ts';
import { ScenarioRefused } from './schema.ts';

const ACCOUNT_NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** A relative path in a scenario starts at the folder of the scenario's file. */
export function besideScenario(file: string, path: string): string {
  return resolve(dirname(file), path);
}

/** @throws {ScenarioRefused} */
export function venueOptions({ venue = {}, accounts = [], liquidity }: Scenario, file: string): StartVenueOptions {
  const problems = ['accounts', 'clock', 'data', 'demo', 'house', 'speed']
    .filter((name) => name in venue)
    .map(
      (name) =>
        `venue.${name} is not for a scenario: ${name === 'accounts' ? 'give accounts beside venue' : 'leave it out'}`,
    );
  for (const [i, { name }] of accounts.entries()) {
    if (!ACCOUNT_NAME.test(name)) problems.push(`accounts[${i}].name must be 1 to 64 letters, digits, ., _ and -`);
  }
  const { replay } = venue as StartVenueOptions;
  if (replay !== undefined && liquidity !== undefined) {
    problems.push('liquidity is not for a venue that plays a recording (venue.replay): the recording has the books');
  }
  if (problems.length > 0) throw new ScenarioRefused(file, problems);
  const own = accounts.length > 0 ? accounts : [{ name: 'bot', balances: { USDT: '100000' } }];
  const given = { ...(venue as StartVenueOptions), accounts: own };
  // A log has a recording or a house: both are the other side of what users trade.
  return replay === undefined ? { ...given, house: true } : { ...given, replay: replayBeside(replay, file) };
}

/** With its paths made absolute. The venue reports what is wrong with the options. */
function replayBeside(replay: NonNullable<StartVenueOptions['replay']>, file: string): typeof replay {
  const beside = (path: string) => (typeof path === 'string' ? besideScenario(file, path) : path);
  if (typeof replay === 'string') return beside(replay);
  if (Array.isArray(replay)) return replay.map(beside);
  const { files, ...rest } = replay as Exclude<typeof replay, string | readonly string[]>;
  return { ...rest, files: Array.isArray(files) ? files.map(beside) : files };
}
