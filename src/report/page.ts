/** A report as one HTML file without anything from elsewhere. */
import type { AccountReport, CurrencyReport, Report } from './report.ts';

const [WIDTH, HEIGHT] = [900, 180];

export function reportPage({ accounts, fromMs, toMs, seq, sinceSeq }: Report): string {
  const since = sinceSeq === null ? '' : `, since the reset or restore at seq ${sinceSeq}`;
  const range = `${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}, up to seq ${seq}${since}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Report</title><style>${STYLE}</style></head><body>
<h1>Report</h1><p>${range}</p>
${accounts.map(section).join('\n')}
</body></html>
`;
}

function section(of: AccountReport): string {
  const { account, orders, fills, fillsAsMaker, withoutMid, againstMid, refused, currencies } = of;
  const mids = Object.entries(againstMid).map(([code, amount]) => `${amount} ${code}`);
  const reasons = Object.entries(refused).sort(([, a], [, b]) => b - a);
  const cost = mids.length === 0 ? '' : `Against the middle of the book they cost ${escaped(mids.join(' and '))}.`;
  const left = withoutMid === 0 ? '' : `${withoutMid} fills met a book with an empty side, and are not in it.`;
  return `<section><h2>${escaped(account)}</h2>
<p>${orders} orders, ${fills} fills, ${fillsAsMaker} of them as maker. ${cost} ${left}</p>
${reasons.length === 0 ? '' : `<p>Refused: ${reasons.map(([reason, count]) => `${escaped(reason)} ${count}`).join(', ')}</p>`}
${table(currencies)}${currencies.map(chart).join('')}</section>`;
}

const ROWS: readonly (keyof CurrencyReport)[] = [
  'deposits',
  'withdrawals',
  'traded',
  'realised',
  'funding',
  'insurance',
  'fees',
  'inPositions',
  'total',
  'unrealised',
  'difference',
];

function table(currencies: readonly CurrencyReport[]): string {
  const head = currencies.map(({ currency }) => `<th>${escaped(currency)}</th>`).join('');
  const rows = ROWS.map(
    (name) => `<tr><th>${name}</th>${currencies.map((of) => `<td>${of[name]}</td>`).join('')}</tr>`,
  );
  const fall = ({ worstDrawdown }: CurrencyReport) =>
    worstDrawdown === null ? '' : `${worstDrawdown.amount}, until ${new Date(worstDrawdown.toMs).toISOString()}`;
  const drawdown = `<tr><th>worst drawdown</th>${currencies.map((of) => `<td>${fall(of)}</td>`).join('')}</tr>`;
  return `<table><thead><tr><th></th>${head}</tr></thead><tbody>${rows.join('')}${drawdown}</tbody></table>`;
}

function chart({ currency, equity }: CurrencyReport): string {
  if (equity.length < 2) return '';
  const values = equity.map(([, value]) => Number(value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) return '';
  const [firstMs, lastMs] = [equity[0][0], equity[equity.length - 1][0]];
  const x = (ms: number) => (((ms - firstMs) / Math.max(lastMs - firstMs, 1)) * WIDTH).toFixed(1);
  const y = (value: number) => (HEIGHT - 10 - ((value - low) / (high - low)) * (HEIGHT - 20)).toFixed(1);
  const line = equity.map(([ms], i) => `${x(ms)},${y(values[i])}`).join(' ');
  const title = `Equity in ${escaped(currency)}`;
  return `<h3>${title}</h3><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<text x="4" y="14">${high}</text><text x="4" y="${HEIGHT - 4}">${low}</text><polyline points="${line}"/></svg>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse}td,th{padding:2px 14px 2px 0;border-bottom:1px solid #eee;text-align:right;font-variant-numeric:tabular-nums}
th:first-child{text-align:left;font-weight:400}svg{width:100%;border:1px solid #ddd}polyline{fill:none;stroke:#0b5cad;stroke-width:1.5}
svg text{font-size:12px;fill:#555}`;
