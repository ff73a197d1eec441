/** What the replies of both spot surfaces have in common. Its maker: spot-records.ts. */
import * as reply from './reply-fields.ts';

const baseSize = reply.orNull(reply.number('null: sized in quote currency'));
const quoteSize = reply.orNull(reply.number('null: sized in base currency'));

export const SIZES = {
  orderCurrency: reply.choice(['base', 'quote'], 'Which of the sizes are populated'),
  originalOrderBaseSize: baseSize,
  originalOrderQuoteSize: quoteSize,
  currentOrderBaseSize: baseSize,
  currentOrderQuoteSize: quoteSize,
  remainingOrderBaseSize: baseSize,
  remainingOrderQuoteSize: quoteSize,
};
