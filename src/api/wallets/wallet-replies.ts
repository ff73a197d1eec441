/** The rows of the wallets' history. wallet-history.ts creates them. */
import * as reply from '../orders/reply-fields.ts';

const LEGACY = {
  currency: reply.text(),
  description: reply.text('Reason and market'),
  fees: reply.number('Negative: a rebate'),
  orderId: reply.text('Unique in the venue'),
  timestamp: reply.timestampMs,
  username: reply.text('Name of the account'),
  wallet: reply.text('SPOT@, CROSS@, or ISOLATED@ and a market'),
  txid: reply.text('Always empty'),
  currencyNetwork: reply.text('Always empty'),
};

export const SPOT_HISTORY = reply.list(
  reply.component('SpotWalletRecord', {
    ...LEGACY,
    amount: reply.number('Without a sign'),
    status: reply.choice(['COMPLETED']),
    type: reply.text('Deposit, Withdraw, Transfer_In or Transfer_Out'),
  }),
);
export const FUTURES_HISTORY = reply.list(
  reply.component('FuturesWalletRecord', {
    ...LEGACY,
    amount: reply.number('Before the fee; negative: taken from the wallet'),
    status: reply.whole('10: completed'),
    type: reply.whole('105 transfer, 106 liquidation, 108 realised result, 110 funding, 1004 auto-deleveraging'),
  }),
);
export const WALLET_HISTORY = reply.list(
  reply.component('WalletRecord', {
    transactionTime: reply.timestampMs,
    type: reply.text(
      'DEPOSIT, WITHDRAW, TRANSFER_IN, TRANSFER_OUT, REALIZED_PNL, LIQUIDATION, AUTO_DELEVERAGING, FUNDING, INSURANCE_FUND',
    ),
    walletName: reply.text('SPOT@, CROSS@, or ISOLATED@ and a market'),
    asset: reply.text('Currency'),
    netAmount: reply.text('Decimal: less the fee'),
    amount: reply.text('Decimal; of deposits, withdrawals and transfers without a sign'),
    transactionRef: reply.text('Unique in the venue'),
    status: reply.choice(['COMPLETED']),
    description: reply.text('Reason and market'),
    fees: reply.text('Decimal; negative: a rebate'),
    cryptoNetwork: reply.text('Always empty'),
    toAddress: reply.text('Always empty'),
    confirmTimes: reply.text('Always empty'),
    txId: reply.text('Always empty'),
  }),
);
