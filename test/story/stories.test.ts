/**
 * One story of each kind of order, word by word. `stories.txt` has them as they are read: title and status, why, then
 * the rows, each with the last price then, what was filled and what was left.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { read, SCENES, Scene } from './scenes.ts';

const golden = new Map(
  readFileSync(new URL('stories.txt', import.meta.url), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [name, ...lines] = section.trimEnd().split('\n');
      return [name, lines.filter((line) => line !== '')] as const;
    }),
);

describe('the story of', () => {
  for (const [name, play] of Object.entries(SCENES)) {
    test(name, async () => {
      await using scene = await Scene.open();
      assert.deepEqual(read(await scene.story(await play(scene))), golden.get(name));
    });
  }

  test('a TWAP has what became of each part: what it filled, or why it was skipped', async () => {
    await using scene = await Scene.open();
    const { parts = [] } = await scene.story(await SCENES['a TWAP that is paused'](scene));
    assert.deepEqual(
      parts.map(({ part, state, filled }) => `${part} ${state} ${filled}`),
      [
        ...Array.from({ length: 7 }, (_, i) => `${i + 1} traded 0.1`),
        ...[8, 9, 10].map((part) => `${part} skipped 0`),
        ...['11 traded 0.13', '12 traded 0.13', '13 skipped 0'],
      ],
    );
    assert.equal(parts[7].why, 'last 60,418.0 was above its pausePrice of 60,400.0');
    assert.match(parts[12].why ?? '', /the spread of 0.5816 % was wider than its maxSpread/);
  });

  test('an order that met one of its own account leads to that order', async () => {
    await using scene = await Scene.open();
    const { siblings } = await scene.story(await SCENES['an order that met one of its own account'](scene));
    assert.deepEqual(
      siblings.map(({ relation, clientId }) => [relation, clientId]),
      [['ownMaker', 'exit-a']],
    );
  });

  test('nothing else', () => assert.deepEqual([...golden.keys()], Object.keys(SCENES)));
});
