/** What a demo venue tells whoever started it: where it is, a key, a first order, and how ccxt gets there. */
import type { RunningVenue } from '../start.ts';

export function demoText({ http, control, demoKeys }: RunningVenue, data: string): string {
  const [first] = demoKeys;
  const elsewhere = http === 'http://127.0.0.1:8080' ? '' : ` --url ${http}`;
  return `
bourse demo: spot BTC-USDT, ETH-USDT and perpetuals BTC-PERP, ETH-PERP with synthetic traders

  trading   ${http}
  control   ${control}   (token in ${data}/control-token)
  keys      ${data}/demo-keys.json: ${demoKeys.map(({ account }) => account).join(', ')}
  key       ${first?.key}
  secret    ${first?.secret}

A first order, in another terminal:

  npx bourse order${elsewhere} --symbol BTC-USDT --side buy --type market --quote-size 100

The same from ccxt (JavaScript, ESM):

${ccxtSnippet(http, first?.key ?? '', first?.secret ?? '')
  .split('\n')
  .map((line) => `  ${line}`)
  .join('\n')}
`;
}

/** ccxt's own btse class, its addresses replaced by the venue's. */
export function ccxtSnippet(url: string, key: string, secret: string): string {
  return `import ccxt from 'ccxt';
const btse = new ccxt.btse({ apiKey: '${key}', secret: '${secret}' });
btse.urls.api = { public: '${url}', private: '${url}' };
console.log(await btse.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50000));`;
}
