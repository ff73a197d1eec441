/** Reads a scenario: a JSON file, or a module whose default export is one, or a function that returns one. */
import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ControlClient } from '../client/control.ts';
import { parseExactJson } from '../config/field.ts';
import { DURATION_WORDS, parseDuration } from '../config/times.ts';
import type { TestVenue } from '../index.ts';
import { readScenario, type ScenarioFile, ScenarioRefused } from './schema.ts';

/** What the functions of a module get. */
export interface ScenarioWorld {
  readonly venue: TestVenue;
  readonly control: ControlClient;
  /** The bot's account. */
  readonly account: string;
}

/** What a module may have besides the members of a file. */
export interface ScenarioCode {
  /** Done at their times, before the bot sees the moment. */
  readonly actions?: readonly { readonly at: number | string; act(world: ScenarioWorld): unknown }[];
  /** Judged at their times, by default at the end. A check fails if it throws, or resolves with false. */
  readonly checks?: readonly {
    readonly name: string;
    readonly at?: number | string;
    check(world: ScenarioWorld): unknown;
  }[];
}

export type Scenario = ScenarioFile & ScenarioCode;

export const MODULES: readonly string[] = ['.js', '.mjs', '.ts', '.mts'];

/** @throws {ScenarioRefused} */
export async function loadScenario(file: string): Promise<Scenario> {
  const value = MODULES.includes(extname(file)) ? await exportOf(file) : readJson(file);
  const { actions, checks, ...rest } = (typeof value === 'object' && value !== null ? value : { value }) as Record<
    string,
    unknown
  >;
  const code = { actions, checks } as ScenarioCode;
  const problems = [...problemsOfCode(actions, 'actions', 'act'), ...problemsOfCode(checks, 'checks', 'check')];
  if (problems.length > 0) throw new ScenarioRefused(file, problems);
  return { ...readScenario(Array.isArray(value) ? value : rest, file), ...code };
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ScenarioRefused(file, [code === 'ENOENT' ? 'there is no such file' : message]);
  }
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new ScenarioRefused(file, [`it is not valid JSON: ${(error as Error).message}`]);
  }
}

async function exportOf(file: string): Promise<unknown> {
  let made: unknown;
  try {
    ({ default: made } = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown });
    if (typeof made === 'function') made = await made();
  } catch (error) {
    throw new ScenarioRefused(file, [`it cannot be loaded: ${(error as Error).message}`]);
  }
  if (made === undefined) throw new ScenarioRefused(file, ['it has no default export']);
  return made;
}

function problemsOfCode(value: unknown, name: string, method: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [`${name} must be a list`];
  return value.flatMap((entry, i) => {
    const problems: string[] = [];
    if (typeof entry?.[method] !== 'function') problems.push(`${name}[${i}].${method} must be a function`);
    if (name === 'checks' && typeof entry?.name !== 'string') problems.push(`${name}[${i}].name must be text`);
    const at = entry?.at;
    const isTime = typeof at === 'string' ? parseDuration(at) !== null : Number.isSafeInteger(at) && at >= 0;
    if (!isTime && (name === 'actions' || at !== undefined))
      problems.push(`${name}[${i}].at must be ${DURATION_WORDS}`);
    return problems;
  });
}
