/** `bourse story`: what happened to an order and why, as a table on a terminal and as JSON elsewhere. */
import type { Command } from 'commander';
import type { OrderPage, StoryRow } from '../client/control.ts';
import { ASK_AGAIN, addControlOptions, controlClient, demoAccounts } from './control-options.ts';
import { addExamples } from './examples.ts';
import { addReference, type OrderReferenceFlags, referenceOf } from './order-reference.ts';
import { inColumns, UsageError } from './output.ts';
import { addJsonOption, type ShowFlags, show } from './show.ts';
import { type Column, tableText } from './tables.ts';
import { keyFile } from './wire-options.ts';

interface StoryFlags extends ShowFlags, OrderReferenceFlags {
  account?: string;
  symbol?: string;
  each?: boolean;
}

/** An order id, or the beginning of one: tables show eight characters. */
const ORDER_ID = /^[0-9a-f]{4,8}(-[0-9a-f-]{0,27})?$/i;

export function addStoryCommand(program: Command): void {
  const command = program.command('story').description('say what happened to an order, and why');
  addExamples(command, [
    ['story --client-id my-first', 'your own id'],
    ['story --order-id 7c1e90aa', "the venue's id, or the beginning of it"],
    ['story 7c1e90aa --each', 'every repeat in its row'],
    ['story --client-id exit-17 --account bot --symbol BTC-PERP', 'of another account'],
    ['story 7c1e90aa --json | jq -r .sentence'],
  ]);
  addJsonOption(addReference(addControlOptions(command)))
    .option('--account <name>', "whose client id it is; by default that of the demo's first account")
    .option('--symbol <symbol>', 'market of the order, if orders on spot and on futures have the client id')
    .option('--each', 'show each of the repeats that a row sums up')
    .action((id: string | undefined, flags: StoryFlags) => showStory(id, flags));
}

async function showStory(id: string | undefined, flags: StoryFlags): Promise<void> {
  const { account, symbol } = flags;
  const { orderId, clOrderId } = referenceOf(id, flags, (bare) => account === undefined && ORDER_ID.test(bare));
  const client = clOrderId === undefined ? undefined : { account: account ?? usualAccount(flags), symbol };
  await show(
    flags,
    { remedy: ASK_AGAIN, flagOfField: { orderId: '--order-id', account: '--account', symbol: '--symbol' } },
    () => controlClient(flags).order((orderId ?? clOrderId) as string, {}, client),
    (page) => storyText(page, process.stdout.columns, flags.each),
  );
}

/** The account that all commands sign with. */
function usualAccount(flags: StoryFlags): string {
  const [first] = demoAccounts(flags) ?? [];
  if (first !== undefined) return first;
  const account = 'give --account: a client id is of one account (`bourse accounts` lists them)';
  if (flags.controlToken !== undefined) throw new UsageError(account);
  const file = keyFile(flags);
  throw new UsageError(`${account}, or --data (or BOURSE_DATA) with the folder of a demo: there is no ${file} here`);
}

const COLUMNS: readonly Column[] = [
  { title: 'Venue time, UTC' },
  { title: 'Seq', right: true },
  { title: 'What happened, and why' },
  { title: 'Last then', right: true },
  { title: 'Filled', right: true },
  { title: 'Left', right: true },
];
const NARROWEST = 40;
/** What the other columns take, about. */
const BESIDE = 60;

/** As a terminal shows it. `each`: repeats are shown one by one. */
export function storyText(page: OrderPage, columns = 120, each = false): string {
  const { order, title, status, sentence = '', rows = [], siblings = [], alongside = [] } = page;
  const width = Math.max(NARROWEST, columns - BESIDE);
  const place = [order.orderId, order.symbol, order.account, `placed at seq ${order.seq}`];
  const table = (each ? rows.flatMap((row) => row.each ?? [row]) : rows).flatMap((row) => lines(row, width));
  const others = siblings.map(
    ({ relation, orderId, kind, state, ended }) => `${relation}: ${orderId} (${kind}, ${ended ?? state})`,
  );
  const more = alongside.flatMap(({ seq, sentences }) => sentences.map((said) => `seq ${seq}: ${said}`));
  const client = order.clientId === null ? [] : [`client id ${order.clientId}`];
  return [
    plain(`${title}: ${status}`),
    plain([...place, ...client].join(' · ')),
    '',
    ...wrapped(plain(sentence), Math.max(NARROWEST, columns - 1)),
    '',
    tableText(COLUMNS, table),
    ...section('Orders that belong to it', others),
    ...section('Set off by the same commands', more),
  ].join('\n');
}

function section(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', title, ...texts.map((text) => `  ${plain(text)}`)];
}

function lines(row: StoryRow, width: number): string[][] {
  const { seq, time, sentence, detail, price, filled, left, leftBranch } = row;
  const at = new Date(time).toISOString().slice(11, 23);
  const said = leftBranch === true ? `${sentence} (in a branch that was left)` : sentence;
  const [first = '', ...rest] = wrapped(plain(said), width);
  const below = detail === undefined ? [] : wrapped(plain(detail), width - 2).map((line) => `  ${line}`);
  return [
    [at, seq === null ? '' : String(seq), first, price ?? '', filled ?? '', left ?? ''],
    ...[...rest, ...below].map((line) => ['', '', line, '', '', '']),
  ];
}

/** Words of a line that fit into the width, then those of the next one. */
function wrapped(text: string, width: number): string[] {
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      found.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...found, line];
}

/** Characters that every terminal shows in one column. */
function plain(text: string): string {
  return inColumns(text.replaceAll('\u2212', '-').replaceAll('→', '->').replaceAll('’', "'"));
}
