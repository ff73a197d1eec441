/**
 * What must hold on every node, whatever fails: what was acknowledged is found, at the leader and at a standby that has its
 * seq; each epoch has one leader, and only it acknowledges; what a node has shown is what the log makes.
 */
import { LogReplayer } from '../../../src/engine/replay/log-replayer.ts';
import type { Command } from '../../../src/venue/contract/commands.ts';
import { Venue } from '../../../src/venue/venue.ts';
import { type History, isThere } from '../checks.ts';
import type { Answer, Asked } from '../door.ts';
import { NEW } from '../life.ts';
import type { Cluster } from './cluster.ts';
import type { Node } from './node.ts';
import type { Plan } from './plan.ts';

/** An order that was acknowledged. */
export interface Acknowledged {
  readonly id: string;
  readonly account: number;
  /** Of the node that acknowledged it, at that time. */
  readonly seq: number;
}

/** The state that a node had when it answered. */
interface Shown {
  readonly node: number;
  readonly seq: number;
  readonly effects: string | undefined;
}

export class Judgement {
  /** What was acknowledged last. */
  last: Acknowledged | undefined;
  readonly #leaders = new Map<number, number>();
  /** By client id: the node that has placed the order and said so. */
  readonly #placedBy = new Map<string, number>();
  readonly #shown: Shown[] = [];

  /** A node leads. */
  led(epoch: number, node: number): string[] {
    const other = this.#leaders.get(epoch);
    this.#leaders.set(epoch, node);
    return other === undefined ? [] : [`nodes ${other} and ${node} both lead epoch ${epoch}`];
  }

  /** A node has answered a client. */
  answered(node: Node, { method, headers, body }: Asked, answer: Answer): string[] {
    const { engine } = node;
    if (engine === undefined || method !== 'POST' || !isThere(answer)) return [];
    const { clOrderId: id } = JSON.parse(body) as { clOrderId?: string };
    if (id === undefined) return [];
    const name = headers['request-api'].replace('-key', '');
    if (answer.status === 200) this.#placedBy.set(id, node.index);
    this.last = { id, account: NEW.names.indexOf(name), seq: engine.venue.seq };
    this.#note(node);
    return answer.status === 200 && !node.leads ? [`node ${node.index} follows, and has placed ${id}`] : [];
  }

  /** A node has answered a look-up. `mustFind`: it leads, or has waited for the seq. */
  read(node: Node, { id, seq }: Acknowledged, answer: Answer, mustFind: boolean): string[] {
    if (node.engine?.unreadable === undefined) this.#note(node);
    if (!mustFind || answer.reason !== 'orderNotFound') return [];
    return [
      `node ${node.index} does not find ${id}, which was acknowledged at seq ${seq}, at seq ${node.engine?.venue.seq}`,
    ];
  }

  #note({ index, engine }: Node): void {
    if (engine === undefined) return;
    this.#shown.push({ node: index, seq: engine.venue.seq, effects: engine.venue.effects });
  }

  /** A process has ended by itself. */
  ended(node: Node, error: Error | undefined, { primary }: Cluster, { steps, throws }: Plan): string[] {
    if (error === undefined) return [];
    const { name, message } = error;
    if (!steps.some(({ what }) => what !== 'ask' && what !== 'read'))
      return [`it ends without a fault: ${error.stack}`];
    if (name === 'LogUnreachable') return [];
    // A start is refused if a command throws that is not in the last batch. The next start may succeed.
    if (name === 'CommandFailed' && Object.values(throws).includes('onceFollowing')) return [];
    if (name === 'LogFull' && steps.some(({ what }) => what === 'full')) return [];
    if (name === 'LogFailed' && message.includes('has taken over')) {
      if (primary.tables.writer.owner !== node.owner) return [];
      return [`node ${node.index} says that it was replaced, and it was not: ${error.stack}`];
    }
    return [`node ${node.index} ends: ${error.stack}`];
  }

  /** Compares all of it with the log. */
  whole({ entries, orders }: History): string[] {
    const found: string[] = [];
    const epochs = new Map<string, number>();
    const effects = new Map<number, string | undefined>();
    const leftOut = new Set(entries.map(({ poisoned }) => poisoned?.seq));
    const replayer = new LogReplayer(new Venue(), {
      apply: (venue, seq, timeMs, command) => {
        venue.applySilently(seq, timeMs, command);
        effects.set(seq, venue.effects);
      },
    });
    for (const entry of entries) {
      replayer.take(entry);
      let seq = entry.firstSeq - 1;
      for (const command of entry.commands as Command[]) {
        seq += 1;
        if (command.type !== 'place' || command.clientId === null || leftOut.has(seq)) continue;
        if (orders.has(command.clientId) && !epochs.has(command.clientId)) epochs.set(command.clientId, entry.epoch);
      }
    }
    replayer.finish();
    for (const [id, node] of this.#placedBy) {
      const epoch = epochs.get(id);
      if (epoch === undefined) continue; // compareWishes finds what is lost.
      const leader = this.#leaders.get(epoch);
      if (leader !== node)
        found.push(`node ${node} has acknowledged ${id} of epoch ${epoch}, which node ${leader} leads`);
    }
    // A command that was left out has no effects.
    for (let seq = 2; seq <= replayer.venue.seq; seq += 1)
      if (!effects.has(seq)) effects.set(seq, effects.get(seq - 1));
    for (const { node, seq, effects: shown } of this.#shown) {
      if (leftOut.size > 1) break; // A standby shows what the leader alone leaves out, until it reads that.
      if (!effects.has(seq)) found.push(`node ${node} was at seq ${seq}, which is not in the log`);
      else if (effects.get(seq) !== shown) found.push(`node ${node} has shown another state at seq ${seq}`);
    }
    return found;
  }
}
