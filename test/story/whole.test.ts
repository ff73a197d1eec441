/** Stories after a restart, from an archive of an older version, in the terminal, and by other ids. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storyText } from '../../src/cli/story.ts';
import type { OrderFacts, OrderHappening, Story } from '../../src/story/order-facts.ts';
import { story } from '../../src/story/story.ts';
import { type Answer, read, SCENES, Scene } from './scenes.ts';

const DONE = 'a TWAP that was done';

test('after a restart, and long after the venue has forgotten the order, the story is the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-story-'));
  const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') };
  try {
    const first = await Scene.open(options);
    const id = await SCENES[DONE](first);
    const before = await first.story(id);
    await first.venue.advance('2h');
    await first[Symbol.asyncDispose]();
    await using second = await Scene.open(options);
    const after = await second.story(id);
    assert.deepEqual(read(after), read(before));
    assert.deepEqual(after, before);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What events have beyond those of an archive from before causes and figures were kept. */
const NEW = [
  'by',
  'due',
  'from',
  'equity',
  'maintenance',
  'currency',
  'last',
  'index',
  'mark',
  'trigger',
  'realised',
  'figures',
];

/** An order of a reply, as the archive has it. */
function factsOf(order: Answer['order']): OrderFacts {
  const { symbol: market, filled: filledSize, remaining: remainingSize, quoteSize = null, trigger } = order;
  const { rule, reference, price } = (trigger ?? {}) as Record<string, string | undefined>;
  const triggers = { triggerRule: rule ?? null, triggerReference: reference ?? null, triggerPrice: price ?? null };
  const facts = { ...order, market, filledSize, remainingSize, quoteSize, ...triggers, left: order.left ?? undefined };
  return facts as unknown as OrderFacts;
}

function olderStory({ order, events }: Answer): Story {
  const older = events.map((event) => {
    const kept = Object.entries(event).filter(
      ([name]) => !NEW.includes(name) || (event.type === 'accepted' && name === 'trigger'),
    );
    return Object.fromEntries(kept) as unknown as OrderHappening;
  });
  return story({ order: factsOf(order), events: older });
}

test('an order of an older archive, and one without its acceptance, have shorter stories', async () => {
  for (const [name, play] of Object.entries(SCENES)) {
    await using scene = await Scene.open();
    const answer = await scene.story(await play(scene));
    for (const found of [answer, olderStory(answer), olderStory({ ...answer, events: answer.events.slice(1) })]) {
      const lines = read({ ...answer, ...found });
      for (const line of lines) assert.doesNotMatch(line, /undefined|null|NaN|\[object/, `${name}: ${line}`);
    }
  }
});

test('a terminal shows a story in its width, and each of the repeats on request', async () => {
  await using scene = await Scene.open();
  const answer = await scene.story(await SCENES['a TWAP that is paused'](scene));
  const page = answer as unknown as Parameters<typeof storyText>[0];
  for (const columns of [100, 120, 200]) {
    for (const line of storyText(page, columns).split('\n'))
      assert.ok(line.length <= columns, `${line.length}: ${line}`);
  }
  const text = storyText(page, 120);
  assert.match(text, /^TWAP, buy 2 BTC: paused, 48 % filled\n/);
  assert.match(
    text,
    /14:26:30\.000 +\d+ {2}Parts 2 to 7 bought 0\.6 BTC at 60,050\.0 to 60,060\.0 +60060 +0\.7 +1\.3\n/,
  );
  assert.doesNotMatch(text, /Part 3 bought/);
  assert.match(storyText(page, 120, true), /Part 3 bought 0\.1 BTC/);
});

test('a client id is looked up with its account, and what is wrong with a look-up is named', async () => {
  await using scene = await Scene.open();
  const id = await scene.spot(scene.bot, 'BUY', 0.5, 59_000, { clOrderId: 'entry-1' });
  const found = await scene.story('entry-1', '?account=bot&symbol=BTC-USDT');
  assert.equal(found.order.orderId, id);
  const refusals: [id: string, query: string, expected: RegExp][] = [
    ['entry-1', '', /no order entry-1, which is no order id of this venue, and .*: for a client id, give account"/],
    ['entry-2', '?account=bot&symbol=BTC-USDT', /no order of bot in BTC-USDT with client id entry-2/],
    ['entry-1', '?account=maker&symbol=BTC-USDT', /no order of maker in BTC-USDT with client id entry-1/],
    ['entry-1', '?account=bot&symbol=ETH-USDT', /no order of bot in ETH-USDT with client id entry-1/],
    ['entry-2', '?account=bot', /no order of bot with client id entry-2/],
    ['entry-1', '?symbol=BTC-USDT', /account is missing/],
    ['entry-1', '?account=bto&symbol=BTC-USDT', /no account bto: did you mean bot\?/],
    ['entry-1', '?account=bot&symbol=BTC-USD', /no market BTC-USD; did you mean BTC-USDT\?/],
    ['entry-1', '?acount=bot', /acount is not known; did you mean account\?/],
    [`${id}0`, '', /which is no order id of this venue/],
    ['%00', '', /no order/],
  ];
  for (const [wrong, query, expected] of refusals) await assert.rejects(scene.story(wrong, query), expected);
});

test('a client id without a market is that of spot or of futures, and if it is of both, the market is asked for', async () => {
  await using scene = await Scene.open();
  const spot = await scene.spot(scene.bot, 'BUY', 0.5, 59_000, { clOrderId: 'on-spot' });
  const [future] = await scene.futures(scene.bot, 'BUY', 10, { price: 59_000, clOrderID: 'on-futures' });
  for (const [clientId, id] of [
    ['on-spot', spot],
    ['on-futures', future],
  ]) {
    assert.equal((await scene.story(clientId, '?account=bot')).order.orderId, id);
  }
  await scene.futures(scene.bot, 'BUY', 10, { price: 59_000, clOrderID: 'on-spot' });
  await assert.rejects(
    scene.story('on-spot', '?account=bot'),
    /symbol is missing: orders on BTC-USDT and BTC-PERP have this client id/,
  );
  assert.equal((await scene.story('on-spot', '?account=bot&symbol=BTC-USDT')).order.orderId, spot);
});

test('the beginning of an order id is enough, and one of several orders names them', async () => {
  // With this seed, two of these ids begin with the same four digits.
  await using scene = await Scene.open({ seed: 1 });
  const { bot, maker } = scene;
  const place = (_: unknown, i: number) => scene.spot(i % 2 === 0 ? bot : maker, 'BUY', 0.001, 59_000);
  const ids = await Promise.all(Array.from({ length: 800 }, place));
  const [id] = ids;
  for (const beginning of [id.slice(0, 8), id.slice(0, 13), id.slice(0, 35), id.slice(0, 8).toUpperCase()]) {
    assert.equal((await scene.story(beginning)).order.orderId, id);
  }
  const alike = ids.map((each) => each.slice(0, 4)).find((beginning, i, all) => all.indexOf(beginning) !== i) as string;
  const [one, other] = ids.filter((each) => each.startsWith(alike));
  const error = await scene.story(alike).then(
    () => 'no error',
    ({ message }: Error) => message,
  );
  assert.match(error, new RegExp(`orderId is ${alike}, with which several ids begin: give more of one of `));
  assert.ok(error.includes(one) && error.includes(other), error);
  for (const unknown of [id.slice(0, 3), 'zzzz']) {
    await assert.rejects(scene.story(unknown), /which is no order id of this venue, and no beginning of one/);
  }
});

test('later pages have events and no story', async () => {
  await using scene = await Scene.open();
  const id = await SCENES['a TWAP that is paused'](scene);
  const [first, second] = [await scene.story(id, '?limit=5'), await scene.story(id, '?limit=5&after=5')];
  assert.deepEqual([first.events.length, second.events.length], [5, 5]);
  assert.equal(first.sentence, (await scene.story(id)).sentence);
  assert.deepEqual([second.sentence, second.rows], [undefined, undefined]);
});

test('what a left branch did is marked, and does not count', async () => {
  await using scene = await Scene.open();
  const { bot, maker, control } = scene;
  const id = await scene.spot(bot, 'BUY', 0.5, 59_000);
  await control.save('before');
  await scene.spot(maker, 'SELL', 0.2, 59_000);
  await bot.cancelSpotOrder('BTC-USDT', { orderId: id });
  await control.restore('before');
  await scene.spot(maker, 'SELL', 0.1, 59_000);
  const { sentence, rows, totals } = await scene.story(id);
  assert.match(sentence, /^Working: it rests at 59,000\.0 with 0\.4 BTC left; it has bought 0\.1 of 0\.5 BTC\.$/);
  assert.deepEqual(
    rows.map(({ kind, filled, leftBranch }) => [kind, filled, leftBranch ?? false]),
    [
      ['taken', '0', false],
      ['rests', '0', false],
      ['trade', '0.2', true],
      ['ended', '0.2', true],
      ['trade', '0.1', false],
    ],
  );
  assert.deepEqual(totals, { filled: '0.1', average: '59000', fees: { BTC: '0.00002' }, realised: null });
});

test('of a very long history the story has the beginning and the end, and says how much is left out', async () => {
  await using scene = await Scene.open();
  const { order, events } = await scene.story(await SCENES['a peg'](scene));
  const [accepted, , moved] = events as unknown as OrderHappening[];
  const many = Array.from({ length: 20_000 }, (_, i) => ({ ...moved, seq: 100 + i, time: moved.time + i }));
  const { rows } = story({ order: factsOf(order), events: [accepted, ...many] });
  assert.deepEqual(
    rows.map(({ sentence }) => sentence),
    [
      'Taken: buy 1 at the index − 0.5 %, at most 60,000, 10 % shown at a time',
      '15,001 events are left out here',
      'Moved 4,999 times, from 59,799.5 to 59,799.5',
    ],
  );
});
