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

  test('nothing else', () => assert.deepEqual([...golden.keys()], Object.keys(SCENES)));
});
