/** Results as one HTML file without anything from elsewhere: charts, what deviated, the timeline and the log. */
import type { RunResult } from './run.ts';
import type { Entry } from './timeline.ts';

const WIDTH = 900;
const HEIGHT = 220;
const LEFT = 80;

export function reportHtml(results: readonly RunResult[]): string {
  const failed = results.filter(({ ok }) => !ok).length;
  const title = `${results.length} ${results.length === 1 ? 'scenario' : 'scenarios'}, ${failed} failed`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
${results.map(section).join('\n')}
</body></html>
`;
}

function section(result: RunResult): string {
  const { name, file, ok, about, deviations, timeline, prices, equity, currency, log, bot, lengthMs, startMs } = result;
  const fills = timeline.filter(({ kind }) => kind === 'fill');
  const charts = Object.entries(prices).map(([symbol, points]) =>
    chart(`Price of ${symbol}`, stepped(points, lengthMs), lengthMs, fills),
  );
  const equityPoints = equity.map(([ms, value]): [number, number] => [ms, Number(value)]);
  const logText = log.map((line) => JSON.stringify(line)).join('\n');
  return `<section><h2 class="${ok ? 'ok' : 'bad'}">${ok ? 'Passed' : 'Failed'}: ${escaped(name)}</h2>
<p>${escaped(about)}</p>
<p class="note">${escaped(file)}, bot: <code>${escaped(bot ?? 'none')}</code>, ${new Date(startMs).toISOString()}</p>
${deviations.length === 0 ? '' : `<h3>What deviated</h3>${table(deviations)}`}
${charts.join('')}${chart(`Equity in ${currency}`, equityPoints, lengthMs, [])}
<h3>Timeline</h3>${table(timeline)}
<details><summary>Log: ${log.length} commands</summary>
<p><a download="${escaped(fileName(name))}" href="${fileUrl(logText)}">Save it</a></p><pre>${escaped(logText)}</pre></details></section>`;
}

function fileUrl(text: string): string {
  return `data:application/x-ndjson;charset=utf-8,${encodeURIComponent(text)}`;
}

function fileName(name: string): string {
  return `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.ndjson`;
}

function table(entries: readonly Entry[]): string {
  const rows = entries.map(({ ms, seq, kind, text }) => {
    const time = new Date(ms).toISOString().slice(11, 23);
    return `<tr class="${kind}"><td>${time}</td><td>${seq}</td><td>${kind}</td><td>${escaped(text)}</td></tr>`;
  });
  return `<table><thead><tr><th>Time</th><th>Seq</th><th>What</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

type Points = readonly (readonly [ms: number, value: number])[];

/** A price holds until the next one. */
function stepped(points: Points, lengthMs: number): Points {
  const last = points.at(-1);
  return last === undefined ? [] : [...points, [lengthMs, last[1]]];
}

function chart(title: string, points: Points, lengthMs: number, marks: readonly Entry[]): string {
  if (points.length === 0) return '';
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (ms: number) => (LEFT + (ms / lengthMs) * (WIDTH - LEFT)).toFixed(1);
  const y = (value: number) =>
    (high === low ? HEIGHT / 2 : HEIGHT - 10 - ((value - low) / (high - low)) * (HEIGHT - 20)).toFixed(1);
  const line = points.map(([ms, value]) => `${x(ms)},${y(value)}`).join(' ');
  const dots = marks.map(({ ms, text }) => {
    const value = points.findLast(([at]) => at <= ms)?.[1] ?? values[0];
    return `<circle cx="${x(ms)}" cy="${y(value)}" r="4" class="${text.includes('sells') ? 'sell' : 'buy'}"><title>${escaped(text)}</title></circle>`;
  });
  return `<h3>${escaped(title)}</h3><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<text x="0" y="14">${high}</text><text x="0" y="${HEIGHT - 4}">${low}</text><polyline points="${line}"/>${dots.join('')}</svg>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h2.ok{color:#116329}h2.bad,tr.deviation{color:#a40e26}tr.deviation{font-weight:600}tr.expected{color:#116329}.note{color:#555}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:2px 10px 2px 0;vertical-align:top;border-bottom:1px solid #eee}
td:nth-child(-n+3){white-space:nowrap;font-variant-numeric:tabular-nums}svg{width:100%;border:1px solid #ddd}polyline{fill:none;stroke:#0b5cad;stroke-width:1.5}
svg text{font-size:12px;fill:#555}.buy{fill:#116329}.sell{fill:#a40e26}pre{white-space:pre-wrap;font-size:12px}`;
