/** The tester's hand: time, prices, faults, orders and states. Each click shows the request that does the same. */
import { AccountsPane } from '../components/accounts-pane.js';
import { ClockPane } from '../components/clock-pane.js';
import { inHand } from '../components/do.js';
import { FaultsPane } from '../components/faults-pane.js';
import { OrderPane } from '../components/order-pane.js';
import { Loading } from '../components/parts.js';
import { PricesPane } from '../components/prices-pane.js';
import { SamePane } from '../components/same-pane.js';
import { StatesPane } from '../components/states-pane.js';
import { markets, session } from '../store.js';
import { html, useEffect, useSignal } from '../ui.js';

export function ControlView() {
  const symbol = useSignal(localStorage.getItem('symbol') ?? '');
  const price = useSignal('');
  const symbols = [...markets.value.keys()];
  useEffect(() => {
    if (symbols.length > 0 && !markets.value.has(symbol.value)) {
      symbol.value = symbols.find((each) => each.includes('PERP')) ?? symbols[0];
    }
  }, [symbols.join()]);
  // What was typed, and what the venue said of it, was for the other market.
  useEffect(() => {
    price.value = '';
    inHand.value = null;
    if (markets.value.has(symbol.value)) localStorage.setItem('symbol', symbol.value);
  }, [symbol.value]);
  if (session.value === null || !markets.value.has(symbol.value)) return html`<${Loading} what="the venue" />`;
  return html`<h1 class="sr">Control</h1>
    <div class="control">
      <div class="column"><${ClockPane} /><${StatesPane} /></div>
      <div class="column"><${PricesPane} symbol=${symbol} /><${OrderPane} key=${symbol.value} symbol=${symbol} price=${price} /><${FaultsPane} /><${AccountsPane} /></div>
      <div class="column"><${SamePane} /></div>
    </div>`;
}
