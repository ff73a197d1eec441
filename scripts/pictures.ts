/**
 * `npm run docs:pictures`: makes the pictures of the page in docs/pictures from a venue that is the same in each run, so that they stay
 * true when the page changes. Fonts are the machine's, so two machines make slightly different ones. Look at them before you commit.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, NO_BROWSER } from '../test/page/browser.ts';
import { openMorning } from '../test/page/morning.ts';
import { PICTURES, takePicture } from '../test/page/pictures.ts';

if (NO_BROWSER !== false) {
  console.error(NO_BROWSER);
  process.exit(2);
}
const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url));
const morning = await openMorning();
const browser = await launch();
for (const picture of PICTURES) {
  const { page, faults } = await takePicture(browser, morning, picture);
  if (faults.length > 0) throw new Error(`${picture.file}: ${faults.join('\n')}`);
  const path = join(folder, picture.file);
  await page.screenshot({ path });
  await page.context().close();
  console.log(`${path}: ${Math.round(statSync(path).size / 1024)} KB`);
}
await browser.close();
await morning.venue.close();
