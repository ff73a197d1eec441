/** The real clients that `npm run clients` runs, in the versions that were found to work with BTSE. */
import { fileURLToPath } from 'node:url';
import {
  goProgram,
  ownPythonTests,
  postmanProgram,
  pythonProgram,
  samplesProgram,
  sdkProgram,
  walk,
} from './install.ts';
import type { Program } from './run.ts';
import { SAMPLES_WRONG_PATHS } from './wrong-paths.ts';

export interface RealClient {
  readonly name: string;
  readonly about: string;
  /** Flags of the venue that it runs against, besides those of the demo. */
  readonly flags?: readonly string[];
  /** What it asks for and BTSE does not have either: `GET /path`. */
  readonly wrongPaths?: readonly string[];
  /** False: it can come before the first trade. */
  readonly needsTrades?: boolean;
  /** True: what one line of it reads are names of one field (reads.ts). */
  readonly linesAreAlternatives?: true;
  /** True: it takes minutes, and is run only when it is named. */
  readonly isLong?: true;
  /** Installs it. @throws {Skipped} */
  prepare(): Promise<Program>;
}

export const CLIENTS: readonly RealClient[] = [
  {
    name: 'ccxt',
    about: 'ccxt 4.5.90, Python: every method that `has` says is true',
    linesAreAlternatives: true,
    prepare: async () => pythonProgram({ name: 'ccxt', packages: ['ccxt==4.5.90'], program: 'ccxt_methods.py' }),
  },
  {
    name: 'ccxt-limited',
    about: "ccxt with its own limiter, against a venue with BTSE's rate limits",
    flags: ['--rate-limits', 'btse'],
    linesAreAlternatives: true,
    prepare: async () => ({
      ...pythonProgram({ name: 'ccxt', packages: ['ccxt==4.5.90'], program: 'ccxt_methods.py' }),
      env: { BOURSE_LIMITER: 'on' },
    }),
  },
  {
    name: 'btse-python',
    about: 'btse-python 0.0.2.1: futures v2.1',
    prepare: async () =>
      pythonProgram({
        name: 'btse-python',
        packages: ['btse-python==0.0.2.1', 'requests'],
        program: 'btse_python_calls.py',
      }),
  },
  {
    name: 'btse-mcp',
    about: 'btse-mcp 0.1.5: futures v2.1, all tools',
    prepare: async () =>
      // Its mcp imports what later versions of pydantic no longer have.
      pythonProgram({
        name: 'btse-mcp',
        packages: ['btse-mcp==0.1.5', 'pydantic<2.12'],
        program: 'btse_mcp_tools.py',
      }),
  },
  {
    name: 'cryptoxlib',
    about: 'cryptoxlib-aio 5.3.0: spot v3.1 by REST',
    prepare: async () =>
      pythonProgram({ name: 'cryptoxlib', packages: ['cryptoxlib-aio==5.3.0'], program: 'cryptoxlib_rest.py' }),
  },
  {
    name: 'vnpy',
    about: 'vnpy-btse 2024.5.8 with vnpy_rest 1.1.1: spot v3.2, futures v2.1, four streams',
    prepare: async () =>
      pythonProgram({
        name: 'vnpy',
        packages: ['vnpy-btse==2024.5.8', 'vnpy_rest==1.1.1'],
        program: 'vnpy_gateway.py',
      }),
  },
  {
    name: 'gocryptotrader',
    about: "GoCryptoTrader's wrapper: spot v3.2, futures v2.1, a stream",
    prepare: async () => goProgram(),
  },
  {
    name: 'btse-sdk',
    about: "BTSE's SDK for Python: spot v3.3, futures v2.3, streams",
    // Both are without their `user/`.
    wrongPaths: ['GET /spot/api/v3.3/open_orders', 'GET /futures/api/v2.3/open_orders'],
    prepare: async () => sdkProgram(),
  },
  {
    name: 'samples',
    about: "BTSE's samples for Python and Node: spot v3.2, futures v2.1, streams",
    flags: ['--config', fileURLToPath(new URL('samples.json', import.meta.url))],
    wrongPaths: SAMPLES_WRONG_PATHS,
    prepare: async () => samplesProgram(),
  },
  {
    name: 'postman',
    about: "BTSE's Postman collection, by newman: spot v3.2, futures v2.1",
    flags: ['--config', fileURLToPath(new URL('samples.json', import.meta.url))],
    prepare: async () => postmanProgram(),
  },
  {
    name: 'bourse-python',
    about: "bourse's package for Python (clients/python): its tests, with its wheel installed",
    needsTrades: false,
    prepare: async () => ownPythonTests(),
  },
  {
    name: 'bourse-python-readme',
    about: 'clients/python/README.md, from an empty folder',
    needsTrades: false,
    prepare: async () =>
      walk(
        'clients/python/README.md',
        ['From an empty folder to a passing test', '`Venue`'],
        ['python3', '-m', 'venv', '-h'],
      ),
  },
  {
    name: 'bourse-go',
    about: 'docs/other-languages.md: a test in Go',
    needsTrades: false,
    prepare: async () => walk('docs/other-languages.md', ['The venue', 'Go'], ['go', 'version']),
  },
  {
    name: 'bourse-java',
    about: 'docs/other-languages.md: a test in Java',
    needsTrades: false,
    prepare: async () => walk('docs/other-languages.md', ['The venue', 'Java'], ['java', '--version']),
  },
  {
    name: 'freqtrade',
    about: 'freqtrade 2026.9: five minutes of a dry run',
    isLong: true,
    prepare: async () =>
      pythonProgram({ name: 'freqtrade', packages: ['freqtrade==2026.9'], program: 'freqtrade_dry_run.py' }),
  },
];
