/**
 * `npm run golden`: writes the golden logs of this version's rules into test/golden/rules-N. Run it in the commit that
 * raises `RULES_VERSION` (test/golden/README.md). `npm run golden -- FORMAT` writes rules-N-FORMAT: run it in the commit that
 * writes logs of the same rules in another format. `npm run golden -- recorded` writes those of recorded markets. Existing
 * logs are what users have on their disks. They are never written again.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RULES_VERSION } from '../src/venue/venue.ts';
import { SCENARIOS, writeGolden } from '../test/golden/write.ts';

const name = [`rules-${RULES_VERSION}`, ...process.argv.slice(2)].join('-');
const target = fileURLToPath(new URL(`../test/golden/${name}`, import.meta.url));
if (existsSync(target)) {
  process.stderr.write(
    `${target} already exists, and golden logs are never rewritten. If the rules have changed, raise RULES_VERSION first; ` +
      'remove the folder only if no released version has these rules.\n',
  );
  process.exit(1);
}
await writeGolden(target, process.argv[2] === 'recorded' ? SCENARIOS.recorded : SCENARIOS.plain);
process.stdout.write(`wrote ${target}\n`);
