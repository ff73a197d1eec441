/** The command log of the data folder. */
import { isAbsolute } from 'node:path';
import type { Field } from '../../../config/field.ts';
import { type ControlContext, requireDataFolder } from '../context.ts';
import { refuseProblems } from '../problems.ts';

const MAX_PATH = 4096;

/** Moves old segments to a folder of the venue's machine, for about 30 s. */
export async function archiveLog({ moveLog }: ControlContext, body: Field): Promise<object> {
  const to = body.object(['to']).at('to').text(MAX_PATH);
  if (to !== '' && !isAbsolute(to)) body.at('to').problem('must be an absolute path on the machine of the venue');
  refuseProblems(body);
  return requireDataFolder(moveLog(to));
}
