import assert from 'node:assert/strict';
import { test } from 'node:test';

test('the suites run on Node 24 or newer', () => {
  assert.ok(Number.parseInt(process.versions.node, 10) >= 24, `this is ${process.version}`);
});
