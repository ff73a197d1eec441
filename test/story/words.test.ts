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

test('the sentence of a command has them, too', () => {
  const command = { type: 'cancel', account: 'bot', seq: 1, time: 0, clientId: '\u202Ex' } as const;
  assert.equal(commandSentence(command), 'bot cancels order with client id \\u202ex');
});
