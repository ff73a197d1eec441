/**
 * The synthetic traders of a demo venue. They move the index of every market and trade around it, with the same
 * commands as everyone. They keep no state: their actions depend on the venue's state, its seed and the sequence
 * number. So a restart or a restored snapshot needs nothing, and a manual clock gives the same market again.
 *
 * Cost: one market acts at a time, about five commands each. On a real clock two markets act per
 * second of venue time, up to a speed of 20.
 */
import type { Command } from '../venue/contract/commands.ts';
import type { Reply, Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import { type Agent, act, openLadder } from './agent.ts';
import { leaderOf, nextIndex, startingIndex } from './index-walk.ts';
import { RandomStream } from './random.ts';

/** How often one of the markets acts, in venue time. */
export const STEP_MS = 500;
/** So that a fast clock leaves the venue time for others. */
const LEAST_STEP_MS = 25;
/** The most steps in a long advance of a manual clock. */
const MOST_STEPS = 600;

export const TRADERS: readonly string[] = ['trader-1', 'trader-2', 'trader-3', 'trader-4'];

export interface TraderPort {
  readonly venue: Venue;
  submit(command: Command): Promise<Reply>;
}

export class SyntheticTraders {
  readonly #port: TraderPort;
  readonly #seed: number;
  /** The configured balances of the traders in whole units, to which their inventory returns. */
  readonly #home: Readonly<Record<string, string>>;
  /** Whether they act in a market. Others give it its prices. */
  readonly #isTheirs: (market: MarketView) => boolean;
  #timer: NodeJS.Timeout | null = null;
  #acting: Promise<void> | null = null;
  #keepsAlive = true;

  constructor(
    port: TraderPort,
    seed: number,
    home: Readonly<Record<string, string>>,
    isTheirs: (market: MarketView) => boolean = () => true,
  ) {
    this.#port = port;
    this.#seed = seed;
    this.#home = home;
    this.#isTheirs = isTheirs;
  }

  /** Opens every market that has no index yet: prices and full ladders. */
  async open(): Promise<void> {
    for (const market of this.#markets) {
      if (market.indexPrice === 0) await this.#openMarket(market);
    }
  }

  /**
   * Acts by itself from now on. `speed`: venue time per elapsed time. A step never begins before the one before has ended, nor
   * within LEAST_STEP_MS of its end.
   */
  run(onError: (error: unknown) => void, speed: () => number): void {
    const next = () => {
      this.#timer = setTimeout(
        () => {
          this.#acting = this.step()
            .catch(onError)
            .finally(() => {
              this.#acting = null;
              if (this.#timer !== null) next();
            });
        },
        Math.max(STEP_MS / speed(), LEAST_STEP_MS),
      );
      if (!this.#keepsAlive) this.#timer.unref();
    };
    next();
  }

  /** From now on they do not keep the process alive. */
  unref(): void {
    this.#keepsAlive = false;
    this.#timer?.unref();
  }

  /** Resolves when no action of the traders is in progress. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#acting;
  }

  /** One randomly drawn market acts. */
  async step(): Promise<void> {
    const { venue } = this.#port;
    const markets = this.#markets;
    if (markets.length === 0) return;
    const random = new RandomStream(this.#seed, venue.seq);
    const market = markets[random.between(0, markets.length - 1)];
    if (market.indexPrice === 0) return this.#openMarket(market);
    await this.#port.submit(this.#indexCommand(market, this.#nextIndex(market, random)));
    const agents = this.#agents();
    if (agents.length === 0) return;
    const agent = agents[random.between(0, agents.length - 1)];
    const current = this.#port.venue;
    await this.#submit(act(current, current.markets[market.index], agent, random));
  }

  /** Moves a manual clock through `advance`, acting on the way. Resolves with the last reply. */
  async advance(toMs: number, advance: (toMs: number) => Promise<Reply>): Promise<Reply> {
    const from = this.#port.venue.timeMs;
    const steps = Math.min(Math.floor((toMs - from) / STEP_MS), MOST_STEPS);
    for (let i = 1; i <= steps; i++) {
      const reply = await advance(from + Math.floor(((toMs - from) * i) / (steps + 1)));
      if (reply.refusal !== null) return reply;
      await this.step();
    }
    return advance(toMs);
  }

  async #openMarket(market: MarketView): Promise<void> {
    const random = new RandomStream(this.#seed, this.#port.venue.seq);
    await this.#port.submit(this.#indexCommand(market, this.#leader(market)?.indexPrice ?? startingIndex(market)));
    const { venue } = this.#port;
    const ladders = this.#agents().map((agent) => openLadder(venue, venue.markets[market.index], agent, random));
    await this.#submit(ladders.flat());
  }

  /** Refusals are part of trading. A refused command is left out until the next step. */
  async #submit(commands: readonly Command[]): Promise<void> {
    await Promise.all(commands.map((command) => this.#port.submit(command)));
  }

  get #markets(): readonly MarketView[] {
    return this.#port.venue.markets.filter(this.#isTheirs);
  }

  #agents(): Agent[] {
    const { venue } = this.#port;
    return TRADERS.flatMap((name, rank) => {
      const account = venue.accountByName(name);
      if (account === undefined) return [];
      return [{ account: account.index, rank, homeLots: (market: MarketView) => this.#homeLots(market) }];
    });
  }

  #homeLots(market: MarketView): number {
    if (market.product === 'futures') return 0;
    return Number(this.#home[market.spec.base] ?? '0') / market.sizeNumber(1);
  }

  #nextIndex(market: MarketView, random: RandomStream): number {
    return this.#leader(market)?.indexPrice ?? nextIndex(market, market.indexPrice, random);
  }

  /** The market whose index this one follows, if that has one. */
  #leader(market: MarketView): MarketView | undefined {
    return leaderOf(
      this.#port.venue.markets.filter(({ indexPrice }) => indexPrice > 0),
      market,
    );
  }

  #indexCommand(market: MarketView, fine: number): Command {
    return { v: 1, type: 'setPrices', market: market.index, index: fine, byHand: false };
  }
}
