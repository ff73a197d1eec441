/**
 * An insurance fund below zero is a deficit: the audit, the health and the metrics say so. No rule lets an order bring one
 * about, so the venue here is loaded from a state in which the fund was taken below zero.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../src/api/control/metrics.ts';
import { auditView, deficitView } from '../../src/api/control/views.ts';
import { readAudit } from '../../src/archive/follow/whole-state.ts';
import { Venue } from '../../src/venue/venue.ts';
import { VenueDriver } from '../venue/support.ts';

interface AuditBody {
  readonly ok: boolean;
  readonly currencies: { readonly [code: string]: { readonly [line: string]: string } };
}

/** A venue whose fund is below zero by 12.5 USDT, which an account has. */
function withDeficit(): Venue {
  const saved = JSON.parse(new VenueDriver().venue.save());
  const { state } = saved.desk;
  const usdt = 3;
  state.ledger.insurance[usdt] = '-1250000000';
  state.accounts[0].totals[usdt] = String(BigInt(state.accounts[0].totals[usdt]) + 1_250_000_000n);
  return Venue.load(JSON.stringify(saved));
}

test('the audit shows the fund as it is and what it lacks; the money still sums up', { rule: '11.66' }, () => {
  const { ok, currencies } = auditView(readAudit(withDeficit()).audit) as AuditBody;
  assert.deepEqual(
    [ok, currencies.USDT.insurance, currencies.USDT.deficit, currencies.USDT.difference, currencies.BTC.deficit],
    [true, '-12.5', '12.5', '0', '0'],
  );
});

test('the health names the currencies that lack, and says nothing where none does', { rule: '11.66' }, () => {
  assert.deepEqual(deficitView(withDeficit()), { deficit: { USDT: '12.5' } });
  assert.deepEqual(deficitView(new VenueDriver().venue), {});
});

test('the metrics have what the fund has and what it lacks, by currency', { rule: '11.66' }, async () => {
  const metrics = new Metrics([]);
  metrics.watch({ venue: withDeficit(), waiting: 0, queueMs: 0, epoch: 1, clockRefusals: 0, clock: null });
  const text = await metrics.text();
  assert.match(text, /^bourse_insurance_deficit\{currency="USDT"\} 12\.5$/m);
  assert.match(text, /^bourse_insurance_fund\{currency="USDT"\} 0$/m);
  assert.match(text, /^bourse_insurance_deficit\{currency="BTC"\} 0$/m);
});
