/** Why the engine did not take a command. Of the first two nothing was done; the third happens while the process ends. */

/** The queue is full: the command was not taken and may be sent again. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} commands are waiting: send it again later`);
    this.waiting = waiting;
  }
}

/** There is no room for the log: nothing is taken until there is, which the engine finds out by itself. */
export class EngineReadOnly extends Error {
  override readonly name = 'EngineReadOnly';

  constructor(reason: string, options?: ErrorOptions) {
    super(`read-only, ${reason}`, options);
  }
}

/** The engine is stopping or has failed. A command that was waiting when it failed may have become durable. */
export class EngineStopped extends Error {
  override readonly name = 'EngineStopped';

  constructor(reason: string, options?: ErrorOptions) {
    super(`the engine takes no commands: ${reason}`, options);
  }
}
