/** Topics that begin after a seq: what happened since comes first, as it would have come, and then what happens. */
import assert from 'node:assert/strict';
import type { Frame } from '../support/stream-client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';
import { ALICE, clients } from './support.ts';

const scenario = scenarios();
const connect = clients();

const SPOT = ['notificationApiV3', 'notificationApiV2', 'notificationApiV1', 'notificationApi', 'fills'];
const FUTURES = ['notificationApiV4', 'notificationApiV3', 'notificationApiV2', 'notificationApi', 'fillsV2', 'fills'];

async function signedIn(w: World, path: string, ...topics: string[]) {
  const client = await connect(w, path);
  assert.deepEqual(await client.login(ALICE), { event: 'login', success: true });
  assert.deepEqual(await client.subscribe(...topics), topics);
  return client;
}

const seqOf = async (w: World): Promise<number> => ((await w.control.state()) as { seq: number }).seq;

/** Places, fills, changes and cancels orders of alice on both products. */
async function trade(w: World): Promise<void> {
  const spot = (fields: object) =>
    w.alice.spot({ symbol: BTC, orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99, orderSize: 1, ...fields });
  await spot({});
  await w.bob.spot({ symbol: BTC, orderSide: 'SELL', orderType: 'LIMIT', orderPrice: 99, orderSize: 0.25 });
  await spot({ orderPrice: 98 });
  await w.bob.spot({ symbol: BTC, orderSide: 'SELL', orderType: 'LIMIT', orderPrice: 98, orderSize: 1 });
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, size: 5 });
  await w.bob.future({ symbol: PERP, side: 'SELL', type: 'LIMIT', price: 99, size: 3 });
}

const byTopic = (frames: Frame[], topics: readonly string[]) =>
  Object.fromEntries(topics.map((topic) => [topic, frames.filter((frame) => frame.topic === topic)]));

scenario('the frames since a seq are those that a subscriber got, in order, and then come those of now', async (w) => {
  await trade(w);
  const from = await seqOf(w);
  const sockets = [
    ['/ws/spot', SPOT],
    ['/ws/futures', FUTURES],
  ] as const;
  const early = await Promise.all(
    sockets.map(([path, topics]) => signedIn(w, path, ...topics.map((topic) => `${topic}@${from}`))),
  );
  await trade(w);
  const middle = await seqOf(w);
  const late = await Promise.all(
    sockets.map(([path, topics]) => signedIn(w, path, ...topics.map((topic) => `${topic}@${from}`))),
  );
  await trade(w);
  const last = await Promise.all(
    sockets.map(([path, topics]) => signedIn(w, path, ...topics.map((topic) => `${topic}@${middle}`))),
  );
  for (const [i, [, topics]] of sockets.entries()) {
    const got = byTopic(await early[i].settled(), topics);
    for (const topic of topics) assert.ok(got[topic].length > 1, topic);
    const wanted = topics.reduce((sum, topic) => sum + got[topic].length, 0);
    const frames: Frame[] = [];
    while (frames.length < wanted) frames.push(await late[i].next());
    assert.deepEqual(byTopic(frames, topics), got);
    assert.ok(frames.every(({ seq }) => seq > from));
    const newer = Object.values(got)
      .flat()
      .filter(({ seq }) => seq > middle);
    const rest: Frame[] = [];
    while (rest.length < newer.length) rest.push(await last[i].next());
    assert.deepEqual(
      byTopic(rest, topics),
      byTopic(newer, topics),
      'a client that gives the seq of the last frame gets what comes after it',
    );
  }
});

scenario('a topic without a seq has none in its frames', async (w) => {
  const client = await signedIn(w, '/ws/spot', 'fills');
  await trade(w);
  const [frame] = await client.settled();
  assert.equal('seq' in frame, false);
});

scenario('what cannot begin after a seq is refused, and says why', async (w) => {
  await trade(w);
  const client = await connect(w, '/ws/futures');
  await client.login(ALICE);
  for (const topic of ['positionsV3@1', 'allPositionV4@1', 'tradeHistoryApi:BTC-PERP@1', 'nothing@1']) {
    assert.deepEqual(await client.subscribe(topic), []);
    const { errors } = await client.next();
    assert.ok([1000, 1005].includes(errors[0].error.code), topic);
  }
  assert.deepEqual(await client.subscribe('fillsV2@99999999'), ['fillsV2@99999999']);
  const { errors } = await client.next();
  assert.match(errors[0].error.hint, /this venue is at seq \d+, and atLeastSeq is 99999999/);
  assert.equal(errors[0].arg, 'fillsV2@99999999');
});

scenario('what happened before the state was replaced is not repeated: it may be of another account', async (w) => {
  const from = await seqOf(w);
  await trade(w);
  await w.venue.reset();
  const client = await signedIn(w, '/ws/spot', `fills@${from}`);
  const { errors } = await client.next();
  assert.match(errors[0].error.hint, /the state was replaced at seq \d+/);
});
