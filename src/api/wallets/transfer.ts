/**
 * Transfers between the wallets of an account. Spot and cross futures share one wallet, so a transfer between them is
 * recorded and moves nothing. Clients that keep their money apart on BTSE work unchanged.
 */
import Type from 'typebox';
import type { Transfer, TransferWallet } from '../../venue/contract/commands.ts';
import { toUnits } from '../../venue/contract/decimal.ts';
import { malformed, shortened } from '../shared/errors.ts';
import { choice, decimal, fields, flag, optional, reader, text } from '../shared/fields.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../shared/json.ts';
import type { Call } from '../shared/surface.ts';

const WALLETS = ['SPOT', 'CROSS', 'ISOLATED'] as const;
const MOST_AMOUNTS = 20;

const NAMES = fields({
  walletSrc: optional(text('Not used: SPOT and CROSS have no names')),
  walletSrcType: choice(WALLETS, 'From: SPOT or CROSS'),
  walletDest: optional(text('Not used: SPOT and CROSS have no names')),
  walletDestType: choice(WALLETS, 'To: SPOT or CROSS'),
});
const AMOUNT = fields(
  {
    currency: text('Currency'),
    allBalance: optional(flag('true: all that is available')),
    balance: optional(decimal('The amount; required unless allBalance is true', { above: 0 })),
  },
  { title: 'TransferAmount' },
);
export const TRANSFER_BODY = fields(
  { ...NAMES.properties, apiWallets: Type.Array(AMOUNT, { maxItems: MOST_AMOUNTS, description: 'The amounts' }) },
  { title: 'WalletTransfer' },
);

/** Clients send '' for a wallet without a name, and "true" for true. */
const LENIENT = { anyCase: true, query: true, emptyIsAbsent: true };
const readNames = reader(NAMES, LENIENT);
const readAmount = reader(AMOUNT, LENIENT);

/** The command for a request. Throws malformed. */
export function transferCommand(call: Call): Transfer {
  const { walletSrcType, walletDestType } = readNames(call.body);
  const from = walletOf('walletSrcType', walletSrcType);
  const to = walletOf('walletDestType', walletDestType);
  if (from === to) throw malformed('walletDestType', `is ${walletDestType}, as is walletSrcType`, 'give the other one');
  const { apiWallets } = call.body;
  if (!Array.isArray(apiWallets) || apiWallets.length === 0 || apiWallets.length > MOST_AMOUNTS) {
    throw malformed('apiWallets', 'is not a list of amounts', `give 1 to ${MOST_AMOUNTS} of {"currency", "balance"}`);
  }
  const amounts = apiWallets.map((each) => amountOf(call, each));
  return { v: 1, type: 'transfer', account: call.account, from, to, amounts };
}

function walletOf(field: string, type: (typeof WALLETS)[number]): TransferWallet {
  if (type !== 'ISOLATED') return type === 'SPOT' ? 'spot' : 'cross';
  throw malformed(field, 'is ISOLATED', 'use SPOT or CROSS: an isolated position has its money from its orders');
}

function isObject(value: JsonValue): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof JsonNumber);
}

function amountOf(call: Call, given: JsonValue): Transfer['amounts'][number] {
  if (!isObject(given)) throw malformed('apiWallets', 'has an item that is no object', 'give {"currency", "balance"}');
  const { currency, allBalance = false, balance } = readAmount(given);
  const { decimals } = call.venue.currencies.find(({ code }) => code === currency) ?? {};
  if (decimals === undefined) {
    const known = call.venue.currencies.map(({ code }) => code).join(', ');
    throw malformed('currency', `is ${JSON.stringify(shortened(currency))}`, `give one of ${known}`);
  }
  if (allBalance) return { currency, amount: null };
  if (balance === undefined) throw malformed('balance', 'is missing', 'give a number above 0, or allBalance true');
  const units = toUnits(balance, decimals);
  if (units === null) throw malformed('balance', `has more than ${decimals} decimals`, `${currency} has ${decimals}`);
  return { currency, amount: String(units) };
}
