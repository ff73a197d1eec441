/** `bourse accounts` and `bourse markets`, as an operator uses them: replies, what they change, and refusals. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { marketsText, marketText, termsText } from '../../src/cli/market-text.ts';
import { termsOf } from '../../src/cli/markets.ts';
import { accountText, feeTable } from '../../src/cli/venue-text.ts';
import { ControlClient } from '../../src/client/control.ts';
import { Place, type StartedProcess } from './support.ts';

const BTC = 'BTC-USDT';
const PERP = 'BTC-PERP';

const place = new Place();
let venue: StartedProcess;
let control: ControlClient;
before(async () => {
  venue = await place.start(['--clock', 'manual']);
  const token = readFileSync(join(place.data, 'control-token'), 'utf8').trim();
  control = new ControlClient({ url: venue.ready.control, token });
  await control.setPrices(PERP, { index: 100 });
});
after(() => place[Symbol.asyncDispose]());

/** One line of a shell. */
async function bourse(line: string) {
  const { code, stdout, stderr } = await place.run(line.split(' '), { BOURSE_CONTROL_URL: venue.ready.control });
  return { code, stderr: stderr.trim(), reply: stdout === '' ? undefined : JSON.parse(stdout) };
}

/** The reason and the message of a refusal of the venue. */
async function refused(line: string): Promise<[reason: string, message: string, stderr: string]> {
  const { code, stderr, reply } = await bourse(line);
  assert.equal(code, 1, line);
  return [reply.error.reason, reply.error.message, stderr];
}

/** What the command itself refuses. */
async function said(line: string): Promise<string> {
  const { code, stderr, reply } = await bourse(line);
  assert.deepEqual([code, reply], [1, undefined], line);
  return stderr;
}

// biome-ignore lint/suspicious/noExplicitAny: a market of the venue
const marketNow = async (symbol: string): Promise<any> =>
  (await control.markets()).markets.find((market) => market.symbol === symbol);

test('an account is added with money, gets more, and gives some back', async () => {
  const added = await bourse('accounts add desk --deposit USDT=1000 --deposit BTC=2');
  assert.deepEqual([added.code, added.reply.account], [0, 'desk']);
  const total = ({ reply }: Awaited<ReturnType<typeof bourse>>, code: string) => reply.balances[code].total;
  assert.deepEqual([total(added, 'USDT'), total(added, 'BTC')], ['1000', '2']);
  assert.equal(total(await bourse('accounts deposit desk USDT 0.5'), 'USDT'), '1000.5');
  assert.equal(total(await bourse('accounts withdraw desk USDT 1000'), 'USDT'), '0.5');
  assert.deepEqual((await bourse('accounts add empty')).reply, { account: 'empty', balances: {} });
  const names = ['desk', 'empty'].map((account) => ({ account, keys: 0, frozen: null }));
  assert.deepEqual((await bourse('accounts')).reply, { accounts: names });
  const first = (await bourse('accounts list --limit 1')).reply;
  assert.deepEqual(first, { accounts: names.slice(0, 1), next: 'desk' });
  assert.deepEqual((await bourse('accounts --after desk')).reply, { accounts: names.slice(1) });
});

test('amounts, names and currencies that are wrong are refused, and what was done before is said', async () => {
  assert.equal((await refused('accounts add desk'))[0], 'accountExists');
  assert.equal((await refused('accounts deposit nobody USDT 1'))[0], 'unknownAccount');
  assert.equal((await refused('accounts withdraw desk USDT 1000'))[0], 'insufficientFunds');
  for (const amount of ['0', 'x', '1e-9']) {
    const [reason, message] = await refused(`accounts deposit desk USDT ${amount}`);
    assert.deepEqual([reason, message.startsWith('amount ')], ['malformed', true], message);
  }
  assert.match(await said('accounts deposit desk USDT -5'), /^bourse: give the amount without a sign$/);
  assert.match(await said('accounts add more --deposit USDT'), /^bourse: --deposit takes CUR=AMOUNT, not USDT$/);
  assert.match(await said('accounts add more --deposit USDT=-1'), /^bourse: --deposit USDT=-1: give the amount/);
  const [reason, , stderr] = await refused('accounts add half --deposit USDT=5 --deposit NOPE=1 --deposit BTC=1');
  assert.equal(reason, 'unknownCurrency');
  assert.match(stderr, /^bourse: the account half is added, with USDT=5 and without NOPE=1, BTC=1: /);
  assert.match(stderr, /\nbourse: currency is --deposit$/);
  const { balances } = await control.account('half');
  assert.equal((balances as Record<string, { total: string }>).USDT.total, '5');
});

test('a freeze is for cancels or for everything, may be given again, and ends', async () => {
  const frozen = async (line: string) => (await bourse(`accounts ${line}`)).reply.frozen;
  assert.equal(await frozen('freeze desk'), 'cancelOnly');
  assert.equal(await frozen('freeze desk --cancel-only'), 'cancelOnly');
  assert.equal(await frozen('freeze desk --everything'), 'everything');
  assert.equal((await control.accounts()).accounts.find(({ account }) => account === 'desk')?.frozen, 'everything');
  assert.equal(await frozen('unfreeze desk'), null);
  assert.equal(await frozen('unfreeze desk'), null);
  assert.match(await said('accounts freeze desk --everything --cancel-only'), /^bourse: option .* cannot be used with/);
  assert.equal((await refused('accounts freeze nobody'))[0], 'unknownAccount');
});

test('an account has other fees in a market, and those of the market again', async () => {
  const { reply } = await bourse(`accounts fees desk ${PERP} --maker 0.0001 --taker 0.0004`);
  assert.deepEqual(reply.fees, { [PERP]: { maker: '0.0001', taker: '0.0004' } });
  assert.match(feeTable(reply.fees), /^Own fees in +Maker +Taker\nBTC-PERP +0\.0001 +0\.0004$/);
  const shown = (await bourse('account desk')).reply;
  assert.match(accountText('desk', shown), /\nBTC-PERP +0\.0001 +0\.0004\n/);
  for (const [line, reason, words] of [
    [`accounts fees desk ${PERP} --maker 0.0001`, 'malformed', /taker is required/],
    [`accounts fees desk ${PERP} --maker x --taker 0`, 'malformed', /maker is not a number/],
    ['accounts fees desk NOPE --maker 0 --taker 0', 'unknownMarket', /NOPE/],
  ] as const) {
    const [found, message] = await refused(line);
    assert.equal(found, reason);
    assert.match(message, words);
  }
  const [reason, message] = await refused(`accounts fees desk ${PERP} --maker 0 --taker 0.9`);
  assert.equal(reason, 'feeUnusual');
  assert.match(message, /^fees\.BTC-PERP\.taker 0\.9 is 90 % .* needs force$/);
  const forced = await bourse(`accounts fees desk ${PERP} --maker 0 --taker 0.9 --force`);
  assert.equal(forced.reply.fees[PERP].taker, '0.9');
  assert.match(await said(`accounts fees desk ${PERP} --of-market --maker 0`), /cannot be used with/);
  assert.deepEqual((await bourse(`accounts fees desk ${PERP} --of-market`)).reply.fees, {});
  assert.equal(feeTable({}), 'fees as the markets have them');
});

test('markets are listed in pages, and one is shown with all its terms', async () => {
  const page = (await bourse('markets --limit 2')).reply;
  const symbols = page.markets.map(({ symbol }: { symbol: string }) => symbol);
  assert.deepEqual([symbols.length, page.next], [2, symbols[1]]);
  assert.match(marketsText(page, '2'), /^Market .* Status .* Taker\n/);
  assert.match(marketsText(page, '2'), /\nthere are more: `bourse markets --limit 2 --after /);
  const shown = (await bourse(`markets show ${PERP}`)).reply;
  assert.deepEqual(shown, await marketNow(PERP));
  // The id of the markets API names it too.
  assert.deepEqual((await bourse(`markets show ${PERP}-USDT`)).reply, shown);
  const text = marketText(shown);
  assert.match(
    text,
    /^BTC-PERP, perpetual, active\n\nIndex +Mark .*\n +100 [\s\S]*\nNever changes +Value\n[\s\S]*\ntick +0\.1\n/,
  );
  assert.match(text, /\nfees\.maker +0\.0002\n/);
  assert.match(text, /\nriskTiers\nmaxNotional +initial +maintenance\n/);
  assert.doesNotMatch(marketText(await marketNow(BTC)), /riskTiers|funding|contractSize/);
  assert.equal((await refused('markets show NOPE'))[0], 'unknownMarket');
});

test('terms are set by name, members of a term too, and what is left out stays', async () => {
  const { reply } = await bourse(`markets set ${PERP} band=0.05 fees.maker=0.0001 maxOpenOrders=200`);
  assert.deepEqual([reply.band, reply.fees, reply.maxOpenOrders], ['0.05', { maker: '0.0001', taker: '0.00055' }, 200]);
  assert.deepEqual(await marketNow(PERP), reply);
  const given = termsText(reply, ['band', 'fees', 'maxOpenOrders']);
  assert.match(given, /^Term +Value\nband +0\.05\nfees\.maker +0\.0001\nfees\.taker +0\.00055\nmaxOpenOrders +200$/);
  assert.equal((await bourse(`markets set ${BTC} triggerLimitDistance=null`)).reply.triggerLimitDistance, null);
  for (const [line, field, words] of [
    [`markets set ${PERP} band=2`, 'band', /below 1/],
    [`markets set ${PERP} bandd=0.1`, 'bandd', /did you mean band/],
    [`markets set ${PERP} tick=1`, 'tick', /cannot change/],
    [`markets set ${PERP} fees.maker=0.12345678901234567`, 'fees.maker', /more than 15 digits/],
  ] as const) {
    const { code, reply: answer } = await bourse(line);
    assert.deepEqual([code, answer.error.field], [1, field]);
    assert.match(answer.error.message, words);
  }
  assert.equal((await refused(`markets set ${BTC} fees.taker=0.4`))[0], 'feeUnusual');
  assert.equal((await bourse(`markets set ${BTC} fees.taker=0.4 --force`)).reply.fees.taker, '0.4');
  assert.match(await said(`markets set ${PERP} band`), /^bourse: a term is name=value, such as band=0\.05, not band$/);
  assert.equal(await said(`markets set ${PERP} band=0.1 band=0.2`), 'bourse: band is given twice');
  assert.match(
    await said(`markets set ${PERP} riskTiers=@missing.json`),
    /^bourse: missing\.json cannot be read as JSON: /,
  );
});

test('tiers come from a file, and need --force if they put an account below maintenance', async () => {
  for (const name of ['long', 'short']) {
    await control.createAccount(name);
    await control.deposit(name, 'USDT', 1000);
  }
  const order = (side: string) => ({ symbol: PERP, side, type: 'LIMIT', price: 100, size: 1_000_000 });
  await control.placeAs('short', order('SELL'));
  await control.placeAs('long', order('BUY'));
  await control.deposit('long', 'USDT', -900);
  const { riskTiers } = (await bourse(`markets show ${PERP}`)).reply;
  const dearer = riskTiers.map((tier: object) => ({ ...tier, initial: '1', maintenance: '0.5' }));
  writeFileSync(place.path('tiers.json'), JSON.stringify(dearer));
  const [reason, message] = await refused(`markets set ${PERP} riskTiers=@tiers.json`);
  assert.equal(reason, 'termsUnsafe');
  assert.match(message, /\(1: long\)/);
  const { reply } = await bourse(`markets set ${PERP} riskTiers=@tiers.json --force`);
  assert.equal(reply.riskTiers[0].maintenance, '0.5');
  assert.match(termsText(reply, ['riskTiers']), /^riskTiers\nmaxNotional +initial +maintenance\n +100000 +1 +0\.5\n/);
});

test('a market is halted, resumed, and ends for ever', async () => {
  const status = async (line: string) => (await bourse(`markets ${line}`)).reply.status;
  assert.equal(await status(`halt ${PERP}`), 'halted');
  assert.equal(await status(`halt ${PERP}`), 'halted');
  assert.equal(await status(`resume ${PERP}`), 'active');
  assert.equal((await refused(`markets delist ${PERP}`))[0], 'marketNotHalted');
  assert.equal(await status(`halt ${PERP}`), 'halted');
  const [reason, , stderr] = await refused(`markets delist ${PERP} --settlement-price x`);
  assert.deepEqual([reason, stderr], ['malformed', 'bourse: settlementPrice is --settlement-price']);
  assert.equal(await status(`delist ${PERP} --settlement-price 101.5`), 'delisted');
  const { positions } = await control.account('short');
  assert.deepEqual(positions, []);
  assert.equal((await refused(`markets resume ${PERP}`))[0], 'marketDelisted');
});

test('a token that only reads lists and shows, and changes nothing', async () => {
  const token = await control.createToken('reader', 'read');
  assert.equal((await bourse(`markets show ${BTC} --control-token ${token}`)).code, 0);
  for (const line of [
    'accounts add eve',
    'accounts freeze desk',
    `markets halt ${BTC}`,
    `markets set ${BTC} band=0.1`,
  ]) {
    assert.equal((await refused(`${line} --control-token ${token}`))[0], 'scopeMissing', line);
  }
  const [reason] = await refused('accounts add eve --control-token not-the-token-of-it');
  assert.equal(reason, 'unauthorized');
});

test('a word that is no command of a group says which there are', async () => {
  assert.match(
    await said('accounts show desk'),
    /^bourse: `bourse accounts` has no command show, only list, add, .*\. `bourse account NAME` shows one account\.$/,
  );
  assert.match(await said('markets BTC-PERP'), /has no command BTC-PERP, only list, show, set, halt, resume, delist\./);
});

test('a value of a term is JSON where it is valid, and text where it is not', () => {
  assert.deepEqual(termsOf(['a=5', 'b=0.10', 'c=allow', 'd=null', 'e={"x":[1]}', 'f.g.h=1', 'f.i=', 'j=k=l']), {
    a: 5,
    b: 0.1,
    c: 'allow',
    d: null,
    e: { x: [1] },
    j: 'k=l',
    f: { 'g.h': 1, i: '' },
  });
  assert.deepEqual(termsOf(['a=0.123456789012345678']), { a: '0.123456789012345678' });
  assert.equal(JSON.stringify(termsOf(['__proto__=1', 'a.__proto__=2'])), '{"__proto__":1,"a":{"__proto__":2}}');
  for (const twice of [
    ['a=1', 'a.b=1'],
    ['a.b=1', 'a=1'],
    ['a.b=1', 'a.b=2'],
  ]) {
    assert.throws(() => termsOf(twice), /is given twice/, twice.join(' '));
  }
});
