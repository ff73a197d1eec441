/** What sentences and the page make of texts that others chose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandSentence } from '../../src/story/names.ts';
import { visible } from '../../src/story/words.js';

test('characters that show nothing, or turn what is beside them, are shown as their escapes', () => {
  assert.equal(visible('\u202Egnp.exe\u202C'), '\\u202egnp.exe\\u202c');
  assert.equal(visible('\uFEFF\u200B'), '\\ufeff\\u200b');
  assert.equal(visible('a\u3164\u{E0001}b'), 'a\\u3164\\udb40\\udc01b');
  for (const plain of ['exit-17', 'עברית', 'é "<b>', '👩']) assert.equal(visible(plain), plain);
});

test('a clock that is moved to another day names the day', () => {
  const fromMs = Date.UTC(2026, 0, 1);
  const to = (toMs: number) => commandSentence({ type: 'advance', seq: 1, time: toMs, fromMs, toMs });
  assert.equal(to(fromMs + 3_600_001), 'The clock is moved to 01:00:00.001');
  assert.equal(to(fromMs + 49 * 3_600_000), 'The clock is moved to 01:00:00 on 2026-01-03');
  const tick = { type: 'tick', seq: 1, time: fromMs + 86_400_000, fromMs } as const;
  assert.equal(commandSentence(tick), 'Time passes, to 00:00:00 on 2026-01-02');
});

test('the sentence of a command has them, too', () => {
  const command = { type: 'cancel', account: 'bot', seq: 1, time: 0, clientId: '\u202Ex' } as const;
  assert.equal(commandSentence(command), 'bot cancels order with client id \\u202ex');
});
