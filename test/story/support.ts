/** Commands of a venue without a wire, and what each set off, as the time machine sees it. */
import { changesOf } from '../../src/archive/follow/changes.ts';
import { commandFacts, effectOf, marketFacts } from '../../src/archive/follow/effects.ts';
import type { Happening, Markets } from '../../src/story/facts.ts';
import { type Why, why, whyLines } from '../../src/story/why.ts';
import type { Command, Genesis } from '../../src/venue/contract/commands.ts';
import { genesis, VenueDriver } from '../venue/support.ts';

export class StoryDriver extends VenueDriver {
  #effects: Happening[] = [];
  #changes: ReturnType<typeof changesOf>;

  constructor(start: Genesis = genesis()) {
    super(start);
    this.venue.listen((event) => {
      const effect = effectOf(this.venue, event);
      if (effect !== null) this.#effects.push(effect);
    });
  }

  get markets(): Markets {
    return marketFacts(this.venue.markets);
  }

  override run(command: Parameters<VenueDriver['run']>[0]): ReturnType<VenueDriver['run']> {
    // The genesis is applied before there is a venue that could be read.
    if (command.type !== 'genesis') this.#changes = changesOf(this.venue, command as Command);
    return super.run(command);
  }

  /** What the command of `run` set off. */
  why(run: () => ReturnType<VenueDriver['run']>): Why {
    this.#effects = [];
    const reply = run();
    const command = JSON.parse(this.log.at(-1) as string);
    const facts = { ...commandFacts(this.venue, command, reply), ...(this.#changes && { changes: this.#changes }) };
    return why(facts, this.#effects, this.markets);
  }
}

/** As it is read: the sentence of the command, then each effect with its number, indented by its depth. */
export function readWhy({ sentence, effects }: Why): string[] {
  const lines = whyLines(effects).map(({ depth, effect }) => {
    const { n, last, sentence: said, detail } = effect;
    return `${'  '.repeat(depth + 1)}${n === last ? n : `${n}-${last}`} ${said}${detail === undefined ? '' : ` (${detail})`}`;
  });
  return [sentence, ...lines];
}
