/**
 * Why the engine did not do a command. Of busy, read-only and failed commands nothing was done; stopped is what the process
 * says while it ends.
 */

/** The queue is full: the command was not taken and may be sent again. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} commands are waiting: try again later`);
    this.waiting = waiting;
  }
}

/** There is no room for the log, or the venue is being made again: nothing is taken until that is over by itself. */
export class EngineReadOnly extends Error {
  override readonly name = 'EngineReadOnly';
  /** What a client is told: the message without what concerns the operator alone, as paths. */
  readonly told: string;

  constructor(reason: string, { told = reason, ...options }: ErrorOptions & { told?: string } = {}) {
    super(`read-only, ${reason}`, options);
    this.told = `read-only, ${told}`;
  }
}

/** The engine is stopping or has failed. A command that was waiting when it failed may have become durable. */
export class EngineStopped extends Error {
  override readonly name = 'EngineStopped';

  constructor(reason: string, options?: ErrorOptions) {
    super(`the engine takes no commands: ${reason}`, options);
  }
}

/** The command made the venue throw, a bug of the venue: it is recorded as rejected, and all is as before it. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRejected';
  readonly seq: number;

  constructor(seq: number, options?: ErrorOptions) {
    super(`the venue failed on this command (seq ${seq}): it was rejected and had no effect`, options);
    this.seq = seq;
  }
}
