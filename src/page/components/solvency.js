/** What liquidation did, and the fund that pays for it. */
import { grouped } from '../format.js';
import { METRICS, total } from '../metrics.js';
import { html } from '../ui.js';
import { Facts } from './resources.js';

/** @param {{ last: any }} props */
export function Solvency({ last }) {
  const rowsOf = (/** @type {string} */ name) =>
    /** @type {import('../metrics.js').Sampled[]} */ (last?.rows.get(name) ?? []);
  const funds = new Map(fundsOf(last));
  const moved = (/** @type {string} */ what) =>
    new Map(rowsOf(`bourse_insurance_${what}_total`).map(({ labels, value }) => [labels.currency, value]));
  const shown = [...funds].filter(([code, amount]) => amount !== 0 || moved('received').has(code));
  const liquidations = rowsOf('bourse_liquidations_total').filter(({ value }) => value > 0);
  const rows = [
    {
      what: 'Liquidations',
      value: grouped(liquidations.reduce((sum, { value }) => sum + value, 0)),
      note:
        liquidations.length === 0
          ? 'since this start'
          : liquidations.map(({ labels, value }) => `${labels.market}: ${grouped(value)} ${labels.kind}`).join(', '),
    },
    {
      what: 'Positions closed by auto-deleveraging',
      value: grouped(total(last, 'bourse_deleveraged_total') ?? 0),
      note: 'since this start',
    },
    ...(shown.length === 0 ? [{ what: 'Insurance fund', value: '0', note: 'in every currency' }] : []),
    ...shown.map(([code, amount]) => {
      const [received, paid] = ['received', 'paid'].map((name) =>
        grouped(Number((moved(name).get(code) ?? 0).toFixed(8))),
      );
      return {
        what: `Insurance fund, ${code}`,
        value: grouped(amount),
        note: `received ${received} and paid ${paid} since this start`,
      };
    }),
  ];
  return html`<${Facts} title="Liquidations and the insurance fund" call=${METRICS} rows=${last === undefined ? [] : rows} empty="" />`;
}

/** By currency: the balance, below zero for a deficit. @param {any} sample @returns {[string, number][]} */
function fundsOf(sample) {
  const deficits = new Map(
    (sample?.rows.get('bourse_insurance_deficit') ?? []).map((/** @type {any} */ { labels, value }) => [
      labels.currency,
      value,
    ]),
  );
  return (sample?.rows.get('bourse_insurance_fund') ?? []).map((/** @type {any} */ { labels, value }) => [
    labels.currency,
    value - (deficits.get(labels.currency) ?? 0),
  ]);
}
