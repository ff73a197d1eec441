/**
 * Why: what one command set off, as a tree of sentences. An effect lies below what caused it: the command, a timer that
 * fell due, a price, the order that fired, the liquidation. A price lies below the trade that made it.
 *
 * Invariant: each effect is in exactly one node, and `n` numbers effects in the order in which they happened.
 * Cost: linear in the effects.
 */
import { orderOf, type TradeSide, textOf } from './effect-texts.ts';
import type { CommandFacts, Happening, Markets } from './facts.ts';
import { commandSentence } from './names.ts';

/** One thing that a command set off. Several that belong together are one, such as an order's trades. */
export interface WhyEffect {
  /** Its first and last effect, from 1. A liquidation that only began has the numbers of the effect that it follows. */
  readonly n: number;
  readonly last: number;
  /** Venue time, epoch ms. */
  readonly time: number;
  readonly sentence: string;
  readonly detail?: string;
  /** The id of the order, the account and the market that it is about. */
  readonly order?: string;
  readonly account?: string;
  readonly market?: string;
  /** What it is, for a mark beside it. */
  readonly kind: WhyKind;
  /** What it set off. */
  readonly effects: readonly WhyEffect[];
}

export type WhyKind =
  | 'order'
  | 'fired'
  | 'trade'
  | 'ended'
  | 'price'
  | 'liquidation'
  | 'deleveraging'
  | 'money'
  | 'timer'
  | 'market'
  | 'account'
  | 'state';

export interface Why {
  readonly seq: number;
  /** Venue time at the end of the command, epoch ms. */
  readonly time: number;
  readonly command: CommandFacts;
  /** What the command asked for, and whether it was refused. */
  readonly sentence: string;
  /** How many effects it had. */
  readonly count: number;
  readonly effects: readonly WhyEffect[];
}

/** A node while the tree is built. `numbers`: of the effects that it shows, from 1. */
interface Node {
  readonly numbers: number[];
  /** The cause that opened it, or the happening that it is headed by. */
  head: Happening | null;
  readonly below: Node[];
  /** A liquidation that new terms began, by the number of the effect before it. It is shown also if it closed nothing. */
  readonly begins?: number;
}

/**
 * `effects`: all that the command did, in order, with the causes between them (`type: 'cause'`).
 */
export function why(command: CommandFacts, effects: readonly Happening[], markets: Markets = {}): Why {
  const tree = new Tree(effects, command);
  return {
    seq: command.seq,
    time: command.time,
    command,
    sentence: commandSentence(command, markets),
    count: tree.count,
    effects: shown(tree.root.below, markets),
  };
}

/** The lines of a tree, each with its depth from 0, in the order in which they are read. */
export function whyLines(
  effects: readonly WhyEffect[],
  depth = 0,
): { readonly depth: number; readonly effect: WhyEffect }[] {
  return effects.flatMap((effect) => [{ depth, effect }, ...whyLines(effect.effects, depth + 1)]);
}

const CHANGES = ['termsChanged', 'accountChanged'];
const FIRED = ['triggered', 'started', 'armed', 'repriced'];

class Tree {
  readonly root: Node = { numbers: [], head: null, below: [] };
  count = 0;
  /** Where the next effect goes. */
  #at = this.root;
  /** What the command or the timer that runs now set off itself. */
  #step = this.root;
  /** Prices that have not been passed on yet, in order, and the nodes that made them. */
  #prices: { readonly what: Happening; readonly node: Node }[] = [];
  /** The last node that made a mark or changed the terms, by market: what a liquidation follows from. */
  readonly #marks = new Map<unknown, Node>();
  /** The price that is passed on now, and its node. */
  #passed: { readonly price: Happening; readonly node: Node } | undefined;
  /** The order that reacts now, until its own event heads its node. */
  #reacting: { readonly order: unknown; readonly node: Node } | undefined;

  /** Whether terms that margins depend on have changed. */
  readonly #newMargins: boolean;
  /** The margin accounts whose liquidation they began. */
  readonly #begun = new Set<string>();

  constructor(effects: readonly Happening[], { type, changes }: CommandFacts) {
    const changed = (changes ?? []).some(({ term }) => term.startsWith('riskTiers') || term === 'maxBasis');
    this.#newMargins = type === 'changeMarket' && changed;
    for (const effect of effects) {
      if (effect.type === 'cause') this.#cause(effect);
      else this.#effect(CHANGES.includes(effect.type) ? { ...effect, changes } : effect);
    }
  }

  #cause(cause: Happening): void {
    this.#reacting = undefined;
    if (cause.by === 'command') this.#at = this.#step = this.root;
    else if (cause.by === 'timer') this.#at = this.#step = this.#open(this.root, cause);
    else if (cause.by === 'liquidation') {
      const mark = this.#marks.get(cause.market);
      this.#at = this.#open(mark ?? this.#step, cause, this.#begins(cause));
    } else if (cause.order === undefined) {
      this.#at = this.#madeBy(cause) ?? this.#step;
      this.#passed = { price: cause, node: this.#at };
    } else {
      // An order whose condition was true when it was placed reacts to a price that was there before.
      const passed = this.#passed;
      const isPassed = passed !== undefined && isSamePrice(passed.price, cause);
      this.#at = this.#open(isPassed ? passed.node : this.#step, cause);
      this.#reacting = { order: cause.order, node: this.#at };
    }
  }

  /** The node that made this price. Earlier ones were passed on. */
  #madeBy({ market, reference, price }: Happening): Node | undefined {
    const at = this.#prices.findIndex(({ what }) => {
      const made = what.type === 'traded' ? 'last' : what.reference;
      return what.market === market && made === reference && what.price === price;
    });
    if (at < 0) return undefined;
    const [{ node }] = this.#prices.splice(0, at + 1).slice(-1);
    return node;
  }

  #effect(effect: Happening): void {
    this.count += 1;
    const reacting = this.#reacting;
    if (reacting !== undefined && effect.order === reacting.order && FIRED.includes(effect.type)) {
      reacting.node.head = effect;
      reacting.node.numbers.push(this.count);
      this.#reacting = undefined;
      return;
    }
    const node: Node = { numbers: [this.count], head: effect, below: [] };
    this.#at.below.push(node);
    const setsLast = effect.type === 'traded' && effect.liquidation !== true;
    if (setsLast || effect.type === 'priceChanged') this.#prices.push({ what: effect, node });
    const moves = effect.type === 'priceChanged' && effect.reference === 'mark';
    if (moves || effect.type === 'termsChanged') this.#marks.set(effect.market, node);
  }

  /** Of the first liquidation of each margin account that new terms began: how many effects come before it. */
  #begins({ account, position, market }: Happening): number | undefined {
    const marginAccount = `${account} ${position === undefined ? '' : `${market} ${position}`}`;
    if (!this.#newMargins || this.#begun.has(marginAccount)) return undefined;
    this.#begun.add(marginAccount);
    return this.count;
  }

  #open(below: Node, cause: Happening, begins?: number): Node {
    const node: Node = { numbers: [], head: cause, below: [], begins };
    below.below.push(node);
    return node;
  }
}

function isSamePrice(a: Happening, b: Happening): boolean {
  return a.market === b.market && a.reference === b.reference && a.price === b.price;
}

/** The nodes of one level as effects. `of`: the order that the level is about. */
function shown(nodes: readonly Node[], markets: Markets, of?: unknown): WhyEffect[] {
  const groups: Node[][] = [];
  for (const node of spliced(nodes)) {
    const group = groups.at(-1);
    const isMore = group !== undefined && (isEcho(node) || group.some((before) => goesWith(before, node)));
    if (isMore) group.push(node);
    else groups.push([node]);
  }
  return groups.map((group) => shownGroup(group, markets, of));
}

/**
 * Without causes that say nothing: a timer whose effects say themselves what happened, and an order or a liquidation that
 * did nothing, unless new terms began it.
 */
function spliced(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => {
    const { head, begins } = node;
    if (head?.type !== 'cause') return [node];
    const below = spliced(node.below);
    if (begins !== undefined && below.length === 0) return [{ ...node, head: { ...head, idle: true } }];
    const isShown = head.by === 'liquidation' || head.kind === 'algo';
    return isShown && below.length > 0 ? [{ ...node, below }] : below;
  });
}

/** A repetition of what a trade has said. */
function isEcho({ head, below }: Node): boolean {
  if (head === null || below.length > 0) return false;
  return head.type === 'filled' || (head.type === 'ended' && head.state === 'filled');
}

function isRealised({ type, reason }: Happening): boolean {
  return type === 'money' && reason === 'realised';
}

/** Trades of one order, movements of one funding, and steps of one price are shown together. */
function goesWith({ head: a }: Node, { head: b }: Node): boolean {
  if (a === null || b === null) return false;
  // The result of a trade comes before it.
  if (isRealised(a)) return isRealised(b) || b.type === 'traded' || b.type === 'deleveraged';
  if (a.type !== b.type) return false;
  if (a.type === 'traded') return orderOf(a.taker) === orderOf(b.taker);
  if (a.type === 'money') return a.reason === 'funding' && b.reason === 'funding';
  return a.type === 'priceChanged' && a.market === b.market && a.reference === b.reference;
}

function shownGroup(group: readonly Node[], markets: Markets, of: unknown): WhyEffect {
  const heads = group.flatMap(({ head }) => (head === null ? [] : [head]));
  const first = heads.find((head) => !isRealised(head)) ?? heads[0];
  const alike = heads.filter(({ type }) => type === first.type);
  const about = aboutOf(first);
  const below = shown(
    group.flatMap((node) => node.below),
    markets,
    about.order,
  );
  const text = textOf(alike, markets, of);
  // What fired and did nothing but trade is one sentence.
  const [only] = below;
  const isMerged =
    first.type === 'triggered' && below.length === 1 && only.kind === 'trade' && only.effects.length === 0;
  const own = group.flatMap(({ numbers }) => numbers);
  const all = [...own, ...below.flatMap(({ n, last }) => [n, last])];
  const following = all.length === 0 ? group.flatMap(({ begins = [] }) => begins) : all;
  const covered = isMerged || own.length === 0 ? following : own;
  return {
    n: covered.reduce((a, b) => Math.min(a, b)),
    last: covered.reduce((a, b) => Math.max(a, b)),
    time: first.time,
    sentence: isMerged ? `${text.sentence}, ${only.sentence}` : text.sentence,
    ...(text.detail !== undefined && { detail: text.detail }),
    ...about,
    kind: kindOf(first),
    effects: isMerged ? [] : below,
  };
}

/** What of a happening an effect refers to. */
function aboutOf(head: Happening): Pick<WhyEffect, 'order' | 'account' | 'market'> {
  const side = head.type === 'traded' ? (head.taker as TradeSide) : head;
  const { order, account } = side as Readonly<Record<string, unknown>>;
  const { market } = head;
  return {
    ...(typeof order === 'string' && { order }),
    ...(typeof account === 'string' && { account }),
    ...(typeof market === 'string' && { market }),
  };
}

const KINDS: Readonly<Record<string, WhyKind>> = {
  cause: 'timer',
  triggered: 'fired',
  started: 'fired',
  traded: 'trade',
  ended: 'ended',
  priceChanged: 'price',
  priceHeld: 'price',
  priceStale: 'market',
  priceFresh: 'market',
  deleveraged: 'deleveraging',
  money: 'money',
  transferred: 'money',
  fundingSet: 'market',
  marketListed: 'market',
  marketHalted: 'market',
  marketResumed: 'market',
  marketDelisted: 'market',
  termsChanged: 'market',
  accountCreated: 'account',
  accountChanged: 'account',
  keyAdded: 'account',
  keyRevoked: 'account',
  stateReplaced: 'state',
};

function kindOf(head: Happening): WhyKind {
  return head.by === 'liquidation' ? 'liquidation' : (KINDS[head.type] ?? 'order');
}
