/** Which errors of the operating system become which errors of the log. */

import assert from 'node:assert/strict';
import { LogFailed, LogFull, LogOutOfFiles } from '../contract/command-log.ts';
import { isNoDescriptor, isNoSpace } from '../shared/system-errors.ts';
import type { Disk } from './disk.ts';

/** The error as one after which the log can continue later. Undefined: it is another kind of error. */
export function asLogFull(disk: Disk, error: unknown, neededBytes: number): LogFull | undefined {
  if (isNoSpace(error)) return new LogFull(disk.folder, neededBytes, { cause: error });
  return isNoDescriptor(error) ? new LogOutOfFiles(disk.folder, { cause: error }) : undefined;
}

/**
 * Turns errors of the operating system into errors of the log. Other errors are returned unchanged: errors of the log
 * have no `code`, and failed assertions are bugs.
 */
export function asLogError(disk: Disk, error: unknown, neededBytes: number): unknown {
  const full = asLogFull(disk, error, neededBytes);
  if (full !== undefined) return full;
  if (!(error instanceof Error) || !('code' in error) || error instanceof assert.AssertionError) return error;
  return new LogFailed(`the command log in ${disk.folder} failed: ${error.message}`, { cause: error });
}
