/** What the replies of both spot surfaces have in common. Its maker: spot-records.ts. */
import Type, { type TObject } from 'typebox';
import type { AlgoName } from '../../venue/contract/commands.ts';
import * as reply from './reply-fields.ts';

const baseSize = reply.orNull(reply.number('null: sized in quote'));
const quoteSize = reply.orNull(reply.number('null: sized in base'));

export const SIZES = {
  orderCurrency: reply.choice(['base', 'quote'], 'Which of the sizes are populated'),
  originalOrderBaseSize: baseSize,
  originalOrderQuoteSize: quoteSize,
  currentOrderBaseSize: baseSize,
  currentOrderQuoteSize: quoteSize,
  remainingOrderBaseSize: baseSize,
  remainingOrderQuoteSize: quoteSize,
};

const TWAP = reply.component('TwapDetail', {
  children: reply.whole('How many there are to be'),
  childrenDone: reply.whole(),
  nextChildAt: reply.orNull(reply.whole('Epoch ms')),
  pausedBy: reply.orNull(reply.text('Why the last child was left out')),
});
const PEG = reply.component('PegDetail', {
  displayedSize: reply.number(),
  waitingFor: reply.orNull(reply.choice(['index'])),
});
const TRAILING = reply.component('TrailingDetail', {
  armed: reply.flag(),
  extreme: reply.orNull(reply.number('The best price since it was armed')),
});

/** What is shown of the progress of each kind of order; of others nothing. */
export const ALGO_DETAILS: { readonly [name in AlgoName]?: TObject } = { twap: TWAP, peg: PEG, trailing: TRAILING };
export const ALGO_DETAIL = Type.Union([...Object.values(ALGO_DETAILS), Type.Null()]);
