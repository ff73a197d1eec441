/** What others wrote does not control the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inColumns, jsonText, printable } from '../../src/cli/output.ts';

const HOSTILE = 'a\u001b[2J\u009b2J\u007f\u202eb\u2028c\u{e0041}d\ud800';

test('JSON has escapes for what a terminal acts on, and the same value', () => {
  const text = jsonText({ id: HOSTILE, name: 'Zoë 宽 👍' }, 2);
  assert.match(text, /^[ -~\në宽👍]*$/u);
  assert.deepEqual(JSON.parse(text), { id: HOSTILE, name: 'Zoë 宽 👍' });
});

test('messages and lines have a question mark for it', () => {
  assert.equal(printable(HOSTILE), 'a?[2J?2J??b?c?d?');
  assert.equal(printable('Zoë 宽 👍\n\tnext'), 'Zoë 宽 👍\n\tnext');
});

test('a screen has one also for what is not one column wide', () => {
  assert.equal(inColumns('Zoë 宽 👍 e\u0301 ██…'), 'Zoë ? ? e? ██…');
});
