/** Replies about accounts: money, positions, keys and tokens. */
import { PERMISSIONS } from '../../../config/config.ts';
import { FREEZES } from '../../../venue/contract/commands.ts';
import {
  choice,
  component,
  flag,
  list,
  number,
  orNull,
  positionMode,
  sometimes,
  text,
  timestampMs,
  whole,
} from '../../orders/reply-fields.ts';
import { SCOPES } from '../tokens.ts';
import { knownFromSeq, LEFT, next, symbol, table } from './fields.ts';

export const BALANCES = table(
  component('WalletBalance', {
    total: text(),
    available: text(),
    reserved: text('By orders'),
    margin: text('Of positions'),
    unrealised: text(),
  }),
  'By currency',
);

export const POSITION = {
  symbol,
  positionId: text(),
  positionMode,
  direction: choice(['LONG', 'SHORT'], 'The side of the position'),
  size: number('Contracts'),
  entryPrice: number(),
  mark: orNull(number()),
  margin: text(),
  maintenance: text(),
  unrealised: text(),
  liquidationPrice: orNull(number()),
  liquidationInProgress: flag(),
  leverage: number(),
};

const ACCOUNT_FIELDS = {
  frozen: orNull(choice(FREEZES)),
  fees: table(
    component('AccountFees', { maker: text('A fraction'), taker: text('A fraction') }),
    'Own rates by symbol',
  ),
  openOrders: whole('How many'),
  positions: list(component('OpenPosition', POSITION)),
  balances: BALANCES,
};

export const POSITION_OF_ACCOUNT = component('PositionOfAccount', { account: text(), ...POSITION });
export const ACCOUNT_CREATED = component('AccountCreated', { account: text('Its name') });
export const ACCOUNTS = component('AccountsPage', {
  accounts: list(
    component('AccountRow', {
      account: text(),
      keys: whole('How many API keys it has'),
      frozen: orNull(choice(FREEZES)),
    }),
  ),
  next,
});

export const ACCOUNT = component('Account', ACCOUNT_FIELDS);
export const DEPOSITED = component('Deposited', { balances: BALANCES });
export const LEDGER_ENTRY = component('LedgerEntry', {
  id: text(),
  seq: whole(),
  timeMs: timestampMs,
  account: text(),
  currency: text(),
  amount: text('Negative: taken from the account'),
  reason: text('deposit, trade, fee, funding, …'),
  market: orNull(text()),
  orderId: orNull(text()),
});

export const LEDGER = component('LedgerPage', {
  left: sometimes(LEFT),
  entries: list(LEDGER_ENTRY),
  next,
  knownFromSeq,
});
export const KEY_CREATED = component('KeyCreated', { key: text(), secret: text('No other reply contains it') });
export const KEYS = component('KeysPage', {
  keys: list(
    component('KeyRow', {
      key: text(),
      account: text(),
      permissions: list(choice(PERMISSIONS)),
      ipAllow: list(text('Address or CIDR range')),
      expiresAtMs: orNull(timestampMs),
      lastUsedMs: orNull(whole('The highest nonce that was accepted, epoch ms')),
      masterKey: text('present, retired or missing: the master key that seals it'),
    }),
  ),
  next,
  rotationPending: sometimes(flag('true: the file of the master key has a newer one, which the next start takes')),
});

export const TOKENS = component('ControlTokens', {
  tokens: list(component('ControlToken', { name: text(), scope: choice(SCOPES), createdMs: timestampMs })),
});

export const TOKEN_CREATED = component('TokenCreated', {
  name: text(),
  scope: choice(SCOPES),
  token: text('No other reply contains it'),
});
