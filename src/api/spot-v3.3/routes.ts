/** Spot v3.3: the venue's clock. Bare objects, errors in envelope B. */
import { type Call, type Route, type Surface, venueNowMs } from '../surface.ts';

function time({ venue }: Call): object {
  const nowMs = venueNowMs(venue);
  return { iso: new Date(nowMs).toISOString(), epoch: Math.floor(nowMs / 1000) };
}

const routes: readonly Route[] = [
  { method: 'GET', path: '/time', permission: null, summary: "The venue's clock, epoch in seconds", handle: time },
];

export const spotV33: Surface = {
  name: 'spot-v3.3',
  envelope: 'B',
  basePath: '/spot/api/v3.3',
  unsignedPrefix: '/spot',
  routes,
};
