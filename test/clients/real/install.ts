/** Installs clients into .clients/ in the clone (not in git), or BOURSE_CLIENTS. Each Python client has its own environment. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, Skipped } from './run.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
export const FOLDER = process.env.BOURSE_CLIENTS ?? fileURLToPath(new URL('../../../.clients', import.meta.url));

export interface PythonClient {
  readonly name: string;
  /** As pip takes them: 'ccxt==4.5.90'. */
  readonly packages: readonly string[];
  /** In python/. */
  readonly program: string;
  /** 'python3' unless the client needs another one. */
  readonly python?: string;
}

/** Its program in its environment. @throws {Skipped} */
export function pythonProgram({ program, ...client }: PythonClient): Program {
  return { file: pythonWith(client), args: [join(here, 'python', program)] };
}

/** A Python with these packages, which are installed unless they are there. @throws {Skipped} */
function pythonWith({ name, packages, python = 'python3' }: Omit<PythonClient, 'program'>): string {
  const folder = join(FOLDER, name);
  const marker = join(folder, 'installed');
  const wanted = packages.join('\n');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    need(python, ['-m', 'venv', folder], `${python} with venv is not installed`);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
    need(join(folder, 'bin', 'python'), pip, `pip could not install ${packages.join(' ')}`);
    writeFileSync(marker, wanted);
  }
  return join(folder, 'bin', 'python');
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ownPackage = join(root, 'clients', 'python');

/** What npm, pip and the toolchains of a user know: caches, certificates, registries. */
const usersEnv = () => process.env as Readonly<Record<string, string>>;

/** The tests of clients/python, with its wheel, pytest and ccxt installed. @throws {Skipped} */
export function ownPythonTests(): Program {
  const python = pythonWith({ name: 'bourse-python', packages: ['pytest==9.2.0', 'ccxt==4.5.90'] });
  const built = mkdtempSync(join(tmpdir(), 'bourse-wheel-'));
  // A build writes beside its sources.
  copyOwnPackage(join(built, 'source'));
  const pip = (...args: string[]) => {
    const sentence = `pip could not ${args[0]} the package of clients/python`;
    return need(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args], sentence, { cwd: built });
  };
  pip('wheel', '--no-deps', '--wheel-dir', built, join(built, 'source'));
  const wheel = readdirSync(built).find((file) => file.endsWith('-none-any.whl'));
  if (wheel === undefined) throw new Error('the build made no wheel that is pure');
  pip('install', '--no-deps', '--force-reinstall', join(built, wheel));
  rmSync(built, { recursive: true });
  return { file: python, args: [join(here, 'python', 'package_tests.py')], cwd: ownPackage, env: usersEnv() };
}

function copyOwnPackage(to: string): void {
  cpSync(ownPackage, to, { recursive: true, filter: (path) => !/__pycache__|\.egg-info|\.pytest_cache/.test(path) });
}

/**
 * Follows sections of a document in an empty folder, with a clone that has the packed bourse (walk.ts). `tool`: what is
 * needed to run them, and how it is asked for its version. @throws {Skipped}
 */
export function walk(document: string, sections: readonly string[], tool: readonly string[]): Program {
  const [file, ...args] = tool;
  need(file, args, `${file} is not installed`);
  return {
    file: process.execPath,
    args: [join(here, 'walk.ts'), packedClone(), join(root, document), ...sections],
    env: usersEnv(),
  };
}

/** A folder with what a reader uses of a clone in which `npm pack` was run. */
function packedClone(): string {
  const clone = join(FOLDER, 'packed');
  rmSync(clone, { recursive: true, force: true });
  mkdirSync(clone, { recursive: true });
  need('npm', ['pack', '--silent', '--pack-destination', clone], 'npm could not pack bourse', { cwd: root });
  copyOwnPackage(join(clone, 'clients', 'python'));
  return clone;
}

/** Runs a command to its end. @throws {Skipped} with the sentence, and the last line of what it said */
export function need(file: string, args: readonly string[], sentence: string, options: { cwd?: string } = {}): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  const said = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
  throw new Skipped(said === '' ? sentence : `${sentence}: ${said.slice(0, 200)}`);
}

const GCT = 'github.com/thrasher-corp/gocryptotrader';

/**
 * GoCryptoTrader's wrapper with our program, built inside its module: from the folder GOCRYPTOTRADER, or as the proxy of Go
 * modules serves it. Nothing is written into the folder. @throws {Skipped}
 */
export function goProgram(): Program {
  need('go', ['version'], 'go is not installed');
  const source = process.env.GOCRYPTOTRADER ?? downloadedModule();
  const overlay = join(FOLDER, 'gocryptotrader.json');
  const program = join(FOLDER, 'gocryptotrader-client');
  mkdirSync(FOLDER, { recursive: true });
  const place = join(source, 'cmd', 'bourse_client');
  const files = readdirSync(join(here, 'go')).map((file) => [join(place, file), join(here, 'go', file)]);
  writeFileSync(overlay, JSON.stringify({ Replace: Object.fromEntries(files) }));
  const args = ['build', '-overlay', overlay, '-o', program, './cmd/bourse_client'];
  need('go', args, `${source} could not be built`, { cwd: source });
  return { file: program, args: [] };
}

function downloadedModule(): string {
  const copy = join(FOLDER, 'gocryptotrader');
  if (existsSync(copy)) return copy;
  const sentence = `the Go proxy does not serve ${GCT}; name a folder with it in GOCRYPTOTRADER`;
  const { Dir } = JSON.parse(need('go', ['mod', 'download', '-json', `${GCT}@master`], sentence)) as { Dir: string };
  // The module cache is read-only, and no main module may be in it.
  cpSync(Dir, copy, { recursive: true });
  return copy;
}

/** BTSE's samples, from the folder BTSE_SAMPLES. @throws {Skipped} */
export function samplesProgram(): Program {
  const samples = samplesFolder();
  const packages = ['requests', 'python-dotenv', 'websocket-client'];
  const python = pythonWith({ name: 'samples-python', packages });
  const modules = modulesWith('samples-node', ['axios@0.23.0', 'crypto-js@4.1.1', 'dotenv@16.3.1', 'ws@8.2.3']);
  return { file: process.execPath, args: [join(here, 'samples.ts'), python, modules], env: { BTSE_SAMPLES: samples } };
}

/** BTSE's Postman collection, from the same folder, with newman. @throws {Skipped} */
export function postmanProgram(): Program {
  const samples = samplesFolder();
  const modules = modulesWith('newman', ['newman@6.2.2']);
  return { file: process.execPath, args: [join(here, 'postman.ts'), modules], env: { BTSE_SAMPLES: samples } };
}

function samplesFolder(): string {
  const { BTSE_SAMPLES: samples } = process.env;
  if (samples !== undefined) return samples;
  throw new Skipped("name a folder with BTSE's samples (btsecom/api-sample) in BTSE_SAMPLES");
}

/** A folder of node_modules with these packages, which are installed unless they are there. @throws {Skipped} */
function modulesWith(name: string, packages: readonly string[]): string {
  const folder = join(FOLDER, name);
  const marker = join(folder, 'installed');
  const wanted = packages.join('\n');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const args = ['install', '--silent', '--no-audit', '--no-fund', ...packages];
    need('npm', args, `npm could not install ${packages.join(' ')}`, { cwd: folder });
    writeFileSync(marker, wanted);
  }
  return join(folder, 'node_modules');
}

/** BTSE's SDK for Python, from the folder BTSE_SDK. @throws {Skipped} */
export function sdkProgram(): Program {
  const sdk = process.env.BTSE_SDK;
  if (sdk === undefined) throw new Skipped("name a folder with BTSE's SDK for Python (btsecom/btse-sdk) in BTSE_SDK");
  const packages = ['requests', 'websocket-client'];
  const program = pythonProgram({ name: 'btse-sdk', packages, program: 'btse_sdk_calls.py' });
  return { ...program, env: { BTSE_SDK: sdk } };
}
