/** The pictures of the page in the documents: which there are, and how the page comes to show each. */
import type { Browser } from 'playwright-core';
import { type Opened, open } from './browser.ts';
import type { Morning } from './morning.ts';

export interface Picture {
  readonly file: string;
  /** Before the picture is taken: what has to happen in the venue. The pictures are taken in their order. */
  readonly prepare?: (morning: Morning) => Promise<void>;
  readonly path: (morning: Morning) => Promise<string>;
  /** They are there when the page is complete. */
  readonly ready: readonly string[];
  readonly theme: 'light' | 'dark';
  readonly height: number;
}

export const WIDTH = 1440;

export const PICTURES: readonly Picture[] = [
  {
    file: 'market.png',
    path: async () => '/?symbol=BTC-PERP',
    ready: ['table.orders >> text=first in its queue', '.trade.mine'],
    theme: 'light',
    height: 1080,
  },
  {
    file: 'story.png',
    prepare: ({ fall }) => fall(),
    path: async ({ stopLoss }) => `/orders/${stopLoss}`,
    ready: ['table.events', 'text=Set off by the same command'],
    theme: 'light',
    height: 900,
  },
  {
    file: 'time-machine.png',
    path: async ({ control, stopLoss }) => `/time?seq=${(await control.order(stopLoss)).events.at(-1)?.seq}`,
    ready: ['.proof', '.around tbody tr'],
    theme: 'dark',
    height: 900,
  },
];

/** Opens the page as a picture shows it. */
export async function takePicture(browser: Browser, morning: Morning, picture: Picture): Promise<Opened> {
  await picture.prepare?.(morning);
  const opened = await open(browser, morning.venue, {
    path: await picture.path(morning),
    theme: picture.theme,
    width: WIDTH,
    height: picture.height,
  });
  for (const each of picture.ready) await opened.page.waitForSelector(each);
  // The chart draws in the next frame.
  await opened.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return opened;
}
