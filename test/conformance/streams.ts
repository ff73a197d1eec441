/** The topics of the streams: each row subscribes one, and its client checks every frame against docs/asyncapi.json. */
import assert from 'node:assert/strict';
import { type DocumentedTopic, STREAM_PATHS, topicsOf } from '../../src/api/streams/topics.ts';
import { StreamClient } from '../support/stream-client.ts';
import { BTC, PERP, type World } from '../support/venue.ts';
import type { Row, Section } from './table.ts';

const ALICE = { key: 'alice-key', secret: 'alice-secret' };
/** Each login has a nonce that no other has used. */
let logins = 0;

/** Lets something happen that every topic shows. */
async function provoke(w: World): Promise<void> {
  await w.rest('SELL', 100, 1);
  await w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 100, orderSize: 2 });
  await w.rest('SELL', 100, 9, PERP);
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 100, size: 10 });
}

function row(path: string, { name, subject, isPrivate, summary }: DocumentedTopic): Row {
  return {
    row: `${path} ${subject === '' ? name : `${name}:${subject}`}`,
    shows: `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    async test(w) {
      const client = await StreamClient.open(w.venue.url, path);
      try {
        if (isPrivate) {
          logins += 1;
          assert.equal((await client.login(ALICE, Date.now() - logins)).success, true);
        }
        const topic = subject === '' ? name : `${name}:${path.endsWith('futures') ? PERP : BTC}`;
        assert.deepEqual(await client.subscribe(topic), [topic]);
        await provoke(w);
        const frames = await client.settled();
        assert.ok(frames.length > 0, 'no frame came');
        for (const frame of frames) assert.ok([topic, name].includes(frame.topic), frame.topic);
      } finally {
        client.close();
      }
    },
  };
}

export const section: Section = {
  id: 'Streams',
  title: '',
  rows: STREAM_PATHS.filter((path) => path !== '/spotWS').flatMap((path) =>
    topicsOf(path).map((topic) => row(path, topic)),
  ),
};
