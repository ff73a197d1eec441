/** The pictures of the documents are those that the script makes, and the busy page that they show has no faults at any width. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launch, NO_BROWSER, open } from './browser.ts';
import { layoutFaults } from './layout.ts';
import { type Morning, openMorning } from './morning.ts';
import { PICTURES, takePicture, WIDTH } from './pictures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/pictures');
const MOST_BYTES = 1_000_000;

test('the documents have the pictures that the script makes, each is shown, and all are small', () => {
  const files = globSync('**', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  assert.deepEqual(files.sort(), PICTURES.map(({ file }) => file).sort());
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  for (const { file, height } of PICTURES) {
    const png = readFileSync(join(folder, file));
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    // The first chunk of a PNG says its width and height.
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [WIDTH, height], file);
  }
  const documents = globSync(['*.md', 'docs/*.md'], { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const shown = documents.flatMap((text) => [...text.matchAll(/!\[[^\]]{20,}\]\(((?:docs\/)?pictures\/(\S+))\)/g)]);
  assert.deepEqual([...new Set(shown.map(([, , file]) => file))].sort(), files.sort());
});

test('the morning that the pictures show', { skip: NO_BROWSER }, async (t) => {
  let morning: Morning;
  let browser: Browser;
  before(async () => {
    morning = await openMorning();
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    await morning.venue.close();
  });

  await t.test('the page comes to show each of them, without a fault', async () => {
    for (const picture of PICTURES) {
      const { page, context, faults } = await takePicture(browser, morning, picture);
      assert.deepEqual(await layoutFaults(page), [], picture.file);
      assert.deepEqual(faults, []);
      await context.close();
    }
  });

  for (const width of [1440, 1180, 720, 400]) {
    await t.test(`nothing is cut, outside, or on top of other text on a busy page at ${width}`, async () => {
      const theme = width === 1180 || width === 400 ? 'dark' : 'light';
      const { page, context, faults } = await open(browser, morning.venue, { width, theme });
      const { twap } = morning;
      const views = [
        ['/?symbol=BTC-PERP', 'table.orders'],
        ['/account/bot', '.order-row, .steps'],
        ['/orders', 'table.stories tbody tr'],
        [`/orders/${twap}`, 'table.events'],
        ['/time', '.effects'],
      ];
      for (const [path, ready] of views) {
        await page.goto(`${morning.venue.control}${path}`);
        await page.waitForSelector(ready);
        assert.deepEqual(await layoutFaults(page), [], path);
      }
      assert.deepEqual(faults, []);
      await context.close();
    });
  }
});
