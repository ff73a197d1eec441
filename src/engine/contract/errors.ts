/**
 * Why the engine did not carry out a command.
 *
 * - `OutcomeUnknown`: it may have an effect, now or later.
 * - `EngineFollows`, `EngineBusy`, `EngineReadOnly`, `EngineRebuilding`, `StateReplaced`, `CommandRejected`: the command had no effect.
 * - `EngineStopped`: it had no effect if the engine refused it. If the engine failed while the command was waiting, it
 *   may be durable, and then the next start applies it.
 */
import type { Leader } from '../../log/contract/leader.ts';

/** The queue is full. The command was not accepted, and may be sent again. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} commands are waiting: try again later`);
    this.waiting = waiting;
  }
}

/** This process is a standby. Another one leads, and takes commands. */
export class EngineFollows extends Error {
  override readonly name = 'EngineFollows';
  readonly leader: Leader;

  constructor(leader: Leader) {
    super(`this process is a standby, and takes no commands: ${leader.name} leads`);
    this.leader = leader;
  }
}

/** `clientMessage`: the message for clients, if it differs from the one for the operator. */
interface RefusalOptions extends ErrorOptions {
  clientMessage?: string;
}

/** The log has no space. No command is accepted until it has. The engine tries again every second. */
export class EngineReadOnly extends Error {
  override readonly name = 'EngineReadOnly';
  /** The message without details that only the operator may see, such as paths. */
  readonly clientMessage: string;

  constructor(reason: string, { clientMessage = reason, ...options }: RefusalOptions = {}) {
    super(`read-only, ${reason}`, options);
    this.clientMessage = `read-only, ${clientMessage}`;
  }
}

/** A command or timer made the venue throw, and the venue is being rebuilt. Until then it must not be read either. */
export class EngineRebuilding extends Error {
  override readonly name = 'EngineRebuilding';
  /** As for `EngineReadOnly`. */
  readonly clientMessage: string;

  constructor(reason: string, { clientMessage = reason, ...options }: RefusalOptions = {}) {
    super(reason, options);
    this.clientMessage = clientMessage;
  }
}

/**
 * While the command waited, a reset or a named snapshot replaced the state that it was made from. Its numbers of markets,
 * prices and amounts may mean something else now.
 */
export class StateReplaced extends Error {
  override readonly name = 'StateReplaced';

  constructor() {
    super('the state of the venue was replaced while the command waited: send it again');
  }
}

/**
 * The log did not answer in time, so nobody knows yet whether the command is durable. If it is, it takes effect, and a
 * look-up finds it.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';

  constructor(problem: string) {
    super(`it is not known whether the command took effect: ${problem}`);
  }
}

/** The engine is stopping, or has failed. */
export class EngineStopped extends Error {
  override readonly name = 'EngineStopped';

  constructor(reason: string, options?: ErrorOptions) {
    super(`the engine accepts no commands: ${reason}`, options);
  }
}

/** The command made the venue throw, which is a bug. The log records it as poisoned, and it has no effect. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRejected';
  readonly seq: number;

  constructor(seq: number, options?: ErrorOptions) {
    super(`the command at seq ${seq} made the venue throw: it is poisoned and had no effect`, options);
    this.seq = seq;
  }
}
