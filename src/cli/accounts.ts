/** `bourse accounts`: accounts, their money, fees and freezes, through the control surface of a running venue. */
import { type Command, Option } from 'commander';
import type { AccountChange, ControlClient } from '../client/control.ts';
import { ASK_AGAIN, controlClient, type PageFlags, pageOf } from './control-options.ts';
import { addExamples } from './examples.ts';
import { addCall, addListCommand } from './groups.ts';
import { say, UsageError } from './output.ts';
import { type ShowFlags, show } from './show.ts';
import { accountsText, balanceTable, feeTable } from './venue-text.ts';
import type { ReplyOptions } from './wire-options.ts';

const LOST_ADD = 'the account may or may not be added: `bourse account NAME` says';
const LOST_DEPOSIT = 'the money may or may not have moved: see with `bourse account NAME` before you send it again';
const LOST_CHANGE = 'the account may or may not be changed; it is safe to change it again';

export function addAccountCommands(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('list and add accounts, move their money, freeze them, set their fees');
  addExamples(accounts, [['accounts'], ['accounts add desk --deposit USDT=100000'], ['accounts freeze desk']]);

  const list = addListCommand(
    accounts,
    'list the accounts, with how many API keys each has, and its freeze',
    '`bourse account NAME` shows one account.',
  );
  addExamples(list, [['accounts list'], ['accounts list --limit 1000 --json | jq -r .accounts[].account']]);
  list.action((flags: PageFlags & { json?: boolean }) =>
    show(
      flags,
      { remedy: ASK_AGAIN, flagOfField: {} },
      () => controlClient(flags).accounts(pageOf(flags)),
      (page) => accountsText(page, flags.limit),
    ),
  );

  addCall(accounts, 'add <name>', 'add an account', [
    ['accounts add desk'],
    ['accounts add desk --deposit USDT=100000 --deposit BTC=2', 'with money'],
  ])
    .option('--deposit <currency=amount>', 'what it has at first; repeatable', parseDeposit, [])
    .action((name: string, flags: ShowFlags & { deposit: readonly Deposit[] }) =>
      show(
        flags,
        { remedy: LOST_ADD, flagOfField: { currency: '--deposit', amount: '--deposit' } },
        () => add(controlClient(flags), name, flags.deposit),
        ({ balances }) => `${name} is added\n\n${balanceTable(balances)}`,
      ),
    );

  for (const verb of ['deposit', 'withdraw'] as const) {
    const isDeposit = verb === 'deposit';
    addCall(
      accounts,
      `${verb} <name> <currency> <amount>`,
      isDeposit ? 'add money to an account' : 'take money out of an account, if it is free',
      [[`accounts ${verb} desk USDT 1000.50`]],
    ).action((name: string, currency: string, amount: string, flags: ShowFlags) => {
      refuseSign(amount);
      return show(
        flags,
        { remedy: LOST_DEPOSIT, flagOfField: {} },
        () => controlClient(flags).deposit(name, currency, isDeposit ? amount : `-${amount}`),
        ({ balances }) =>
          `${amount} ${currency} ${isDeposit ? 'added to' : 'taken out of'} ${name}\n\n${balanceTable(balances)}`,
      );
    });
  }

  addCall(accounts, 'freeze <name>', 'freeze an account: its client may only cancel, or do nothing', [
    ['accounts freeze desk', 'its client may only cancel'],
    ['accounts freeze desk --everything', 'its client may do nothing'],
  ])
    .addOption(new Option('--cancel-only', 'its client may only cancel (default)').conflicts('everything'))
    .addOption(new Option('--everything', 'its client may not even cancel'))
    .action((name: string, flags: ShowFlags & { everything?: boolean }) =>
      change(name, flags, { frozen: flags.everything === true ? 'everything' : 'cancelOnly' }, ({ frozen }) =>
        frozen === 'everything' ? `the client of ${name} may do nothing` : `the client of ${name} may only cancel`,
      ),
    );

  addCall(accounts, 'unfreeze <name>', 'end the freeze of an account', [['accounts unfreeze desk']]).action(
    (name: string, flags: ShowFlags) => change(name, flags, { frozen: null }, () => `${name} is not frozen`),
  );

  addCall(accounts, 'fees <name> <symbol>', 'give an account other fees in a market than the market has', [
    ['accounts fees desk BTC-PERP --maker 0.0001 --taker 0.0004', '0.01 % and 0.04 %'],
    ['accounts fees desk BTC-PERP --of-market', 'those of the market again'],
  ])
    .option('--maker <rate>', 'a fraction, such as 0.0002')
    .option('--taker <rate>', 'the same')
    .addOption(new Option('--of-market', 'those of the market again').conflicts(['maker', 'taker']))
    .option('--force', 'also above 0.05 (5 %)')
    .action((name: string, symbol: string, flags: FeesFlags) => {
      const { maker, taker, ofMarket, force } = flags;
      // The venue says which rate is missing.
      const fees = { [symbol]: ofMarket === true ? null : ({ maker, taker } as { maker: string; taker: string }) };
      const asked = { fees, ...(force && { force }) };
      return change(name, flags, asked, (account) => `fees of ${name}\n\n${feeTable(account.fees)}`);
    });
}

interface FeesFlags extends ShowFlags {
  maker?: string;
  taker?: string;
  ofMarket?: boolean;
  force?: boolean;
}

interface Deposit {
  readonly currency: string;
  readonly amount: string;
}

const shown = ({ currency, amount }: Deposit) => `${currency}=${amount}`;

function parseDeposit(text: string, before: readonly Deposit[]): readonly Deposit[] {
  const [currency, amount, ...more] = text.split('=');
  if (!currency || !amount || more.length > 0) throw new UsageError(`--deposit takes CUR=AMOUNT, not ${text}`);
  refuseSign(amount, `--deposit ${text}: `);
  return [...before, { currency, amount }];
}

/** To the venue a negative deposit is a withdrawal. Here each has its command. */
function refuseSign(amount: string, of = ''): void {
  if (/^[-+]/.test(amount)) throw new UsageError(`${of}give the amount without a sign`);
}

/** Each deposit is a call: if one is refused, those before it are made. */
async function add(client: ControlClient, name: string, deposits: readonly Deposit[]): Promise<Added> {
  const account = await client.createAccount(name);
  let balances = {};
  for (const [i, { currency, amount }] of deposits.entries()) {
    try {
      ({ balances } = await client.deposit(name, currency, amount));
    } catch (error) {
      const [made, left] = [deposits.slice(0, i), deposits.slice(i)].map((some) => some.map(shown).join(', '));
      const has = `${made === '' ? '' : `with ${made} and `}without ${left}`;
      say(`bourse: the account ${name} is added, ${has}: \`bourse accounts deposit\` adds money to it`);
      throw error;
    }
  }
  return { account, balances };
}

interface Added {
  readonly account: string;
  readonly balances: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a reply of the venue; docs/operating.md has its fields
type Account = any;

function change(
  name: string,
  flags: ShowFlags,
  asked: AccountChange,
  textOf: (account: Account) => string,
): Promise<void> {
  const options: Omit<ReplyOptions, 'url'> = { remedy: LOST_CHANGE, flagOfField: {} };
  return show(flags, options, () => controlClient(flags).changeAccount(name, asked), textOf);
}
