/**
 * The requests of spot v3.3. Unknown names are ignored and enum values are accepted in any case, because its clients
 * send such requests. A price or size of 0 counts as absent.
 */
import Type from 'typebox';
import { CREATE_FIELDS, legacyPrice, PEG_FIELDS, STEALTH } from '../../orders/legacy-requests.ts';
import { choice, constant, fields, optional, text } from '../../shared/fields.ts';
import { TRADE_FIELDS } from '../../trades/trade-history.ts';
import { HISTORY_COUNT, HISTORY_FIELDS } from '../../wallets/wallet-history.ts';

const pair = text('Trading pair, BASE-QUOTE');

export const TYPES = ['LIMIT', 'MARKET', 'OCO', 'PEG'] as const;
/** Distinguishes a PEG from other orders. Optional on the peg route. */
export const KIND = fields({ type: optional(choice(TYPES, 'LIMIT, MARKET, OCO or PEG')) });

export const CREATE_BODY = fields(
  {
    ...CREATE_FIELDS,
    type: choice(['LIMIT', 'MARKET', 'OCO'], 'LIMIT, MARKET or OCO'),
    size: legacyPrice('Base-currency quantity; a MARKET BUY has it, or price'),
    price: legacyPrice('Limit price; of a MARKET BUY, and of one with a trigger or a trail, the total to spend'),
    triggerPriceType: optional(
      choice(['INDEX_PRICE', 'LAST_PRICE'], 'Price that a trigger watches: INDEX_PRICE (default) or LAST_PRICE'),
    ),
  },
  { title: 'SpotCreateV33' },
);
const peg = { ...PEG_FIELDS, stealth: STEALTH };
const kind = constant('PEG', 'Kind of order');
const TYPED_PEG = fields({ ...peg, type: kind }, { title: 'SpotPegV33' });
/** KIND has already checked the kind of order. */
export const PEG_BODY = fields({ ...peg, type: optional(kind) }, { title: 'SpotPegByRouteV33' });
/** For the documents: the bodies of the two placement routes. */
export const PLACE_BODY = Type.Union([CREATE_BODY, TYPED_PEG]);
export const PEG_ROUTE_BODY = Type.Union([CREATE_BODY, PEG_BODY]);

export const LIST_QUERY = fields({ symbol: optional(pair) });
export const TRADE_HISTORY_QUERY = fields({ symbol: pair, ...TRADE_FIELDS });
export const WALLET_HISTORY_QUERY = fields({
  currency: optional(text('Default: all')),
  ...HISTORY_FIELDS,
  count: HISTORY_COUNT,
});
