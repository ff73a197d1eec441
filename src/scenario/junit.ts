/** Results as JUnit XML, for CI: one test case for each scenario. */
import type { RunResult } from './run.ts';

export function junitXml(results: readonly RunResult[]): string {
  const time = seconds(results.reduce((sum, { tookMs }) => sum + tookMs, 0));
  const counts = { tests: results.length, failures: results.filter(({ ok }) => !ok).length, errors: 0, time };
  const suite = element('testsuite', { name: 'bourse scenario', ...counts }, `\n${results.map(testCase).join('\n')}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', counts, suite)}\n`;
}

function testCase({ name, file, tookMs, deviations, timeline, startMs }: RunResult): string {
  const at = (ms: number) => new Date(startMs + ms).toISOString();
  const lines = timeline.map((entry) => `${at(entry.ms)} ${entry.seq} ${entry.kind}: ${entry.text}`);
  const failed = deviations.map(({ ms, seq, text }) => `${at(ms)} (seq ${seq}): ${text}`);
  const failure = failed.length === 0 ? '' : element('failure', { message: failed[0] }, escaped(failed.join('\n')));
  const output = element('system-out', {}, escaped(lines.join('\n')));
  return element('testcase', { classname: file, name, time: seconds(tookMs) }, failure + output);
}

/** `content` is XML. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${given.join('')}>${content}</${name}>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML has no form for most control characters. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}
