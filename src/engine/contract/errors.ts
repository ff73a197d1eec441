/**
 * Why the engine did not carry out a command. Busy, read-only and failed commands had no effect. Stopped commands may
 * have become durable.
 */

/** The queue is full. The command was not accepted, and may be sent again. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} commands are waiting: try again later`);
    this.waiting = waiting;
  }
}

/** The log has no space, or the venue is being rebuilt. No command is accepted until that ends by itself. */
export class EngineReadOnly extends Error {
  override readonly name = 'EngineReadOnly';
  /** The message for clients, without details for the operator only, such as paths. */
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

/** The command made the venue throw, which is a bug. It is recorded as rejected and has no effect. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRejected';
  readonly seq: number;

  constructor(seq: number, options?: ErrorOptions) {
    super(`the venue failed on this command (seq ${seq}): it was rejected and had no effect`, options);
    this.seq = seq;
  }
}
