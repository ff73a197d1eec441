/** The scrape sample and the alert rules of deploy/: every metric and label that they name exists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Metrics } from '../../src/api/control/metrics.ts';
import { startVenue } from '../../src/index.ts';
import { deployed, program, ran, root } from './support.ts';

/** The names of all series of a venue with a data folder. */
async function series(): Promise<ReadonlySet<string>> {
  const metrics = new Metrics([]);
  metrics.watchStreams({ connections: 0, topics: 0 });
  metrics.watchReadiness(() => true);
  metrics.watchArchive({ seq: 0, sizes: async () => undefined });
  const text = await metrics.text();
  const kinds = [...text.matchAll(/^# TYPE (bourse_\w+) (\w+)$/gm)];
  return new Set(
    kinds.flatMap(([, name, kind]) =>
      kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    ),
  );
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly lines: string;
}

function rules(): Rule[] {
  const [, ...parts] = deployed('bourse-alerts.yml').split(/^ {6}- alert: /m);
  return parts.map((part) => {
    const [alert] = part.split('\n', 1);
    return { alert, expr: /^ {8}expr: (.+)$/m.exec(part)?.[1] ?? '', lines: part };
  });
}

test('every metric that the alerts name exists, and so does every label', async () => {
  const names = await series();
  assert.ok(rules().length >= 10);
  // docs/deploying.md lists the labels, and a test of the metrics compares it with what there is.
  const document = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
  for (const { alert, expr } of rules()) {
    const named = [...expr.matchAll(/\bbourse_\w+/g)].map(([name]) => name);
    for (const name of named) assert.ok(names.has(name), `${alert}: ${name}`);
    if (named.length === 0) assert.match(expr, /^up\{job="bourse"\}/, alert);
    for (const [, name, label] of expr.matchAll(/\b(bourse_\w+)\{(\w+)=/g)) {
      assert.match(document, new RegExp(`^\\| \`${name}\` \\|[^|]*\`${label}\``, 'm'), `${alert}: ${name}{${label}}`);
    }
  }
});

test('every alert has a name, an expression, a severity and a summary', () => {
  const all = rules();
  assert.equal(new Set(all.map(({ alert }) => alert)).size, all.length);
  for (const { alert, expr, lines } of all) {
    assert.match(alert, /^Bourse[A-Z]\w+$/);
    assert.notEqual(expr, '', alert);
    assert.match(lines, /^ {8}labels: \{ severity: (page|ticket) \}$/m, alert);
    assert.match(lines, /^ {10}summary: \S.*\.$/m, alert);
  }
});

test('a scrape as in the sample gets the metrics', async () => {
  const sample = deployed('prometheus.yml');
  const path = /metrics_path: (\S+)/.exec(sample)?.[1];
  const [, port] = /targets: \['127\.0\.0\.1:(\d+)'\]/.exec(sample) ?? [];
  assert.equal(port, '8081', 'the default port of the control surface');
  assert.match(sample, /^ {4}authorization:\n {6}credentials_file: \S+$/m);
  await using venue = await startVenue();
  const reply = await fetch(venue.control + path, { headers: { authorization: `Bearer ${venue.controlToken}` } });
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(await reply.text(), /^bourse_ready 1$/m);
});

const promtool = program('promtool');
test('promtool accepts the alerts', {
  skip: promtool ? false : 'promtool is not installed (apt-get install prometheus)',
}, () => {
  const { status, output } = ran([promtool as string, 'check', 'rules', 'deploy/bourse-alerts.yml']);
  assert.equal(status, 0, output);
});
