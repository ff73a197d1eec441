/** Every row of the specification, through HTTP, with a manual clock. The rows themselves: tables.ts. */
import { after, before, describe, it } from 'node:test';
import { World } from '../support/venue.ts';
import { sections } from './tables.ts';

let w: World;
before(async () => {
  w = await World.open();
});
after(() => w.close());

for (const { id, title, rows } of sections) {
  describe(`${id} ${title}`, () => {
    for (const { row, shows, test } of rows) {
      it(`${row}: ${shows}`, async () => {
        await w.begin();
        await test(w);
      });
    }
  });
}
