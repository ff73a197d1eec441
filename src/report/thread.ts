/** Makes the report of a running venue in a thread, so that the venue goes on meanwhile. */
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { reportOf } from './report.ts';

export interface ReportThreadData {
  /** Of the log. */
  readonly address: string;
}

/** On Linux threads have their own priorities. The venue comes first. */
const NICE = 5;

if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW));
parentPort?.postMessage(await reportOf((workerData as ReportThreadData).address));
