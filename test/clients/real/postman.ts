/**
 * Sends every request of BTSE's Postman collection (btsecom/api-sample, in BTSE_SAMPLES) as it is, with newman, the runner of such
 * collections. Each is told as a call: `ok` if it was answered with 200, `refused` if the venue refused it by name, `own` if the
 * collection's own script fails before the request is signed.
 *
 * Argument: a folder of node_modules with newman.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Item {
  readonly name: string;
  readonly request: { readonly method: string };
}

interface Newman {
  run(options: object): Run;
}

interface Run {
  on(event: 'exception', listen: (error: unknown, exception: { readonly error: Error }) => void): Run;
  on(
    event: 'request',
    listen: (
      error: Error | null,
      sent: { readonly item: Item; readonly response?: { readonly code: number; text(): string } },
    ) => void,
  ): Run;
  on(event: 'done', listen: () => void): Run;
}

const [modules] = process.argv.slice(2);
const { BTSE_SAMPLES: folder = '', BOURSE_URL, BOURSE_KEY, BOURSE_SECRET } = process.env;
const newman: Newman = createRequire(join(modules, 'newman', 'index.js'))('newman');

/** What the script before the present request threw. */
let thrown = '';
const variables = { 'api-url': BOURSE_URL, 'api-key': BOURSE_KEY, 'api-secret': BOURSE_SECRET };
newman
  .run({
    collection: join(folder, 'postman', 'api.postman_collection.json'),
    environment: { values: Object.entries(variables).map(([key, value]) => ({ key, value, enabled: true })) },
    reporters: [],
    timeoutRequest: 20_000,
  })
  .on('exception', (_error, { error }) => {
    thrown = error.message;
  })
  .on('request', (error, { item, response }) => {
    const { code = 0 } = response ?? {};
    const said = error?.message ?? response?.text() ?? '';
    let verdict = 'ok';
    if (thrown !== '' && code === 401) verdict = 'own';
    else if (code === 404 || code >= 500 || code === 0) verdict = 'failed';
    else if (code >= 400) verdict = 'refused';
    const detail = verdict === 'ok' ? '' : `${item.request.method} ${code} ${thrown} ${said}`.slice(0, 300);
    thrown = '';
    console.log(JSON.stringify({ name: item.name, verdict, detail }));
  });
