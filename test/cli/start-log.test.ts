/** The log of a start: lines for people where somebody asks for them, and JSON for programs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryText } from '../../src/cli/start-log.ts';
import { Place, stop } from './support.ts';

test('an entry is a line with the time, what stands out, and the stack of a bug', () => {
  const time = new Date(2026, 0, 2, 14, 32, 7).getTime();
  const line = (level: number, more = {}) => entryText({ level, time, msg: 'the text', ...more });
  assert.equal(line(30), '14:32:07  the text');
  assert.equal(line(40), '14:32:07  warning: the text');
  assert.equal(
    line(50, { where: 'GET /x', err: { message: 'm', stack: 'Error: m\n    at f' } }),
    '14:32:07  error: the text (GET /x)\nError: m\n    at f',
  );
  assert.equal(line(60, { err: { message: 'm' } }), '14:32:07  fatal: the text\nm');
});

test('a venue logs text on request, and JSON in a pipe; standard output has the same line', async () => {
  await using place = new Place();
  for (const [args, expected] of [
    [['--log-format', 'text'], /^\d\d:\d\d:\d\d {2}\S/],
    [[], /^\{"level":\d+,/],
  ] as const) {
    const venue = await place.start(args);
    assert.equal(venue.ready.event, 'ready');
    const { stderr } = await stop(venue);
    const lines = stderr.trimEnd().split('\n');
    assert.match(lines.at(-1) as string, /stopped; the log is sealed/);
    for (const line of lines) assert.match(line, expected);
  }
});
