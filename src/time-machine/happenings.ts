/**
 * What one command set off, in the order in which it happened, by name and with exact decimals. Each says the venue's
 * time at which it happened: a command that moves the clock sets off much, at many times.
 *
 * Cost: a record for each event, of which the first 100,000 are kept.
 */

import { changesOf } from '../archive/follow/changes.ts';
import { commandFacts, effectOf } from '../archive/follow/effects.ts';
import type { CommandFacts, Happening } from '../story/facts.ts';
import type { Command } from '../venue/contract/commands.ts';
import type { VenueEvent } from '../venue/contract/events.ts';
import type { Reply, Venue } from '../venue/venue.ts';

const MOST_KEPT = 100_000;

export class Happenings {
  #all: Happening[] = [];
  #count = 0;
  #facts: CommandFacts | undefined;
  /** The venue that it listens to, and whether it notes what it hears. */
  #venue: Venue | undefined;
  #notes = false;
  /** While the genesis is applied nothing of the venue can be asked yet. */
  #genesis: VenueEvent[] | undefined;

  /** Those that are kept. */
  get all(): readonly Happening[] {
    return this.#all;
  }

  /** How many effects there were, without the causes between them. */
  get count(): number {
    return this.#count;
  }

  /** The command by name. Undefined: it was left out. */
  get command(): CommandFacts | undefined {
    return this.#facts;
  }

  clear(): void {
    this.#all = [];
    this.#count = 0;
    this.#facts = undefined;
  }

  /** Notes what the venue reports while it applies a command. */
  during(venue: Venue, command: Command, apply: () => Reply): void {
    if (this.#venue !== venue) venue.listen((event) => this.#take(venue, event));
    this.#venue = venue;
    this.#notes = true;
    this.#genesis = command.type === 'genesis' ? [] : undefined;
    const fromMs = venue.timeMs;
    const changes = changesOf(venue, command);
    const reply = apply();
    const said = this.#genesis;
    this.#genesis = undefined;
    for (const event of said ?? []) this.#take(venue, event);
    this.#notes = false;
    const facts = { ...commandFacts(venue, command, reply), ...(changes && { changes }) };
    // What moves the clock says from where, because the day may change.
    this.#facts = command.type === 'advance' || command.type === 'tick' ? { ...facts, fromMs } : facts;
  }

  #take(venue: Venue, event: VenueEvent): void {
    if (!this.#notes) return;
    if (this.#genesis !== undefined) {
      this.#genesis.push(event);
      return;
    }
    const happening = effectOf(venue, event);
    if (happening === null) return;
    if (happening.type !== 'cause') this.#count += 1;
    if (this.#all.length < MOST_KEPT) this.#all.push(happening);
  }
}
