import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** What each folder of src may import besides itself. A file that lies directly in src may import every folder. */
const ALLOWED: Record<string, readonly string[]> = {
  venue: [],
  client: [],
  story: [],
  recorded: [],
  playback: ['recorded', 'engine', 'log', 'config', 'venue'],
  config: ['venue'],
  log: ['venue'],
  engine: ['log', 'config', 'venue'],
  archive: ['story', 'engine', 'log', 'config', 'market-data', 'venue'],
  'market-data': ['config', 'venue'],
  feeds: ['engine', 'log', 'config', 'market-data', 'venue'],
  api: ['archive', 'story', 'engine', 'log', 'config', 'market-data', 'venue'],
  'time-machine': ['api', 'archive', 'story', 'engine', 'log', 'config', 'venue'],
  report: ['engine', 'log', 'config', 'venue'],
  scenario: ['', 'client', 'recorded', 'playback', 'engine', 'config', 'venue'],
  cli: [
    '',
    'scenario',
    'report',
    'time-machine',
    'api',
    'archive',
    'story',
    'recorded',
    'playback',
    'feeds',
    'client',
    'market-data',
    'engine',
    'log',
    'config',
    'venue',
  ],
};

/** Ways to learn something that no command said: the time, a random number, the machine. */
const IMPURE =
  /(?<![.\w$])(?:Date|process|performance|setTimeout|setInterval|setImmediate|queueMicrotask|globalThis|crypto|fetch|console|require|WeakRef|FinalizationRegistry|Math\s*\.\s*random)(?![\w$])(?!\s*\??:)/g;

/** The text without comments; line breaks stay. `replace` says what becomes of a string or template. */
function stripped(code: string, replace: (literal: string) => string): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return code.replace(token, (match) => (match.startsWith('/') ? match.replace(/[^\n]/g, ' ') : replace(match)));
}

/** Code inside a template counts, a quoted word does not. */
function withTemplates(code: string): string {
  return stripped(code, (literal) => (literal.startsWith('`') ? literal : "''"));
}

/** Uses of what no command said. */
function impurities(code: string): string[] {
  return withTemplates(code).match(IMPURE) ?? [];
}

/** Specifiers of `import … from`, `export … from`, `import '…'` and `import('…')`, types included. */
function importsOf(code: string): string[] {
  const pattern = /\b(?:import|export)\b[^'"();=]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...stripped(code, (literal) => (literal.startsWith('`') ? '``' : literal)).matchAll(pattern)].map(
    (match) => match[1] ?? match[2]!,
  );
}

interface SourceFile {
  path: string;
  folder: string;
  code: string;
}

function sourceFiles(pattern: string): SourceFile[] {
  return globSync(pattern, { cwd: source }).map((path) => ({
    path,
    folder: path.includes(sep) ? path.slice(0, path.indexOf(sep)) : '',
    code: readFileSync(join(source, path), 'utf8'),
  }));
}

/** The folder of src that a relative specifier leads to, '' for src itself, '..' for what lies outside. */
function targetFolder(file: SourceFile, specifier: string): string {
  const target = relative(source, join(source, dirname(file.path), specifier));
  return target.includes(sep) ? target.slice(0, target.indexOf(sep)) : '';
}

test('every kind of import is found, comments and strings are not', () => {
  const code = `
    import a, { b } from './a.ts';
    import type { c } from "./b.ts";
    import './c.ts';
    export * from './d.ts';
    export {
      type e,
    } from './e.ts';
    const f = await import('./f.ts');
    type G = import('node:fs').Stats;
    // import h from './h.ts';
    /* export * from './i.ts'; */
    const text = 'a word from here';
    const snippet = \`
      import j from './j.ts';\`;
    export const table = { from: 'x' };`;
  assert.deepEqual(importsOf(code), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', 'node:fs']);
});

test('src/story imports nothing outside itself, so that a browser can run it', () => {
  const files = sourceFiles('story/**/*.ts');
  assert.ok(files.length > 0, 'there is no src/story');
  const offences = files.flatMap((file) =>
    importsOf(file.code)
      .filter((specifier) => !specifier.startsWith('.') || targetFolder(file, specifier) !== 'story')
      .map((specifier) => `src/${file.path} imports ${specifier}`),
  );
  assert.deepEqual(offences, []);
});

test('src/venue imports nothing outside src/venue', () => {
  const files = sourceFiles('venue/**/*.ts');
  assert.ok(files.length > 0, 'there is no src/venue');
  const offences = files.flatMap((file) =>
    importsOf(file.code)
      .filter((specifier) => !specifier.startsWith('.') || targetFolder(file, specifier) !== 'venue')
      .map((specifier) => `src/${file.path} imports ${specifier}`),
  );
  assert.deepEqual(offences, []);
});

const BASE = ['contract', 'structures', 'state', 'risk', 'prices'] as const;
/** The rooms of a folder, and what each may import of that folder besides itself. What is not named here may import all. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // src/venue/README.md says what lives in them.
  venue: {
    contract: [],
    structures: ['contract'],
    state: ['contract', 'structures'],
    risk: ['contract', 'structures', 'state'],
    prices: ['contract', 'structures', 'state', 'risk'],
    execution: BASE,
    algos: [...BASE, 'execution'],
    liquidation: [...BASE, 'execution', 'algos'],
    handlers: [...BASE, 'execution', 'algos', 'liquidation'],
    steps: [...BASE, 'execution', 'algos', 'liquidation', 'handlers'],
    snapshot: [...BASE, 'algos', 'handlers'],
    views: ['contract', 'structures', 'state', 'risk', 'prices'],
    'views.ts': ['contract', 'structures', 'state', 'risk', 'views'],
    'reply.ts': ['contract', 'state', 'handlers'],
  },
  // src/log/README.md.
  log: {
    contract: [],
    shared: ['contract'],
    file: ['contract', 'shared'],
    memory: ['contract', 'shared'],
    postgres: ['contract', 'shared'],
  },
  // src/engine/README.md.
  engine: {
    contract: [],
    clock: ['contract'],
    identity: ['contract'],
    replay: ['contract', 'identity'],
  },
  // src/archive/README.md.
  archive: {
    store: [],
    follow: ['store'],
    read: ['store', 'follow'],
    thread: ['store', 'follow', 'read'],
  },
  // src/api/README.md.
  api: {
    shared: [],
    gateway: ['shared'],
    orders: ['shared'],
    algos: ['shared', 'orders'],
    positions: ['shared', 'orders'],
    trades: ['shared', 'orders', 'positions'],
    'market-data': ['shared', 'orders'],
    wallets: ['shared', 'orders', 'positions'],
    surfaces: ['shared', 'orders', 'algos', 'positions', 'trades', 'market-data', 'wallets'],
    streams: ['shared', 'gateway', 'orders', 'positions', 'market-data'],
    control: ['shared', 'gateway', 'orders', 'algos', 'market-data', 'streams'],
  },
};
/** Files that lie in a folder beside its rooms, and may import all of them. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  venue: ['venue.ts'],
  log: ['copy.ts', 'open.ts'],
  engine: [
    'handed-log.ts',
    'host.ts',
    'leaving-out.ts',
    'listeners.ts',
    'log-space.ts',
    'own-commands.ts',
    'remote-answers.ts',
    'standby.ts',
    'start.ts',
  ],
  archive: ['archive.ts', 'memory.ts', 'export.ts'],
  api: [],
};

/** The room of a path from src: the folder below the first one, or the file that lies in no room. */
function roomOf(path: string): string {
  return path.split(sep)[1] as string;
}

/** What a file imports from its own folder of src, by the path from src. */
function ownImports(file: SourceFile): string[] {
  return importsOf(file.code)
    .filter((specifier) => specifier.startsWith('.') && targetFolder(file, specifier) === file.folder)
    .map((specifier) => join(dirname(file.path), specifier));
}

for (const [folder, rooms] of Object.entries(ROOMS)) {
  test(`the rooms of src/${folder} import downwards only`, () => {
    const files = sourceFiles(`${folder}/**/*.ts`);
    assert.deepEqual(
      [...new Set(files.map(({ path }) => roomOf(path)))].sort(),
      [...Object.keys(rooms), ...(BESIDE[folder] as string[])].sort(),
    );
    const offences = files.flatMap((file) => {
      const room = roomOf(file.path);
      const allowed = rooms[room];
      if (allowed === undefined) return [];
      return ownImports(file)
        .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)))
        .map((target) => `src/${file.path} imports src/${target}`);
    });
    assert.deepEqual(offences, []);
  });
}

test('no file of src imports itself by way of others, types included', () => {
  const graph = new Map(
    sourceFiles('**/*.ts').map((file) => [
      file.path,
      importsOf(file.code)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(file.path), specifier)),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (way.includes(path) || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  assert.deepEqual(circles, []);
});

test('an algo knows the shape that all share, and no other algo', () => {
  // The registry knows all; what a sweep leaves to be done knows the attached orders, which any futures order may have.
  const free = ['registry.ts', 'after-sweep.ts', 'shape.ts'];
  const offences = sourceFiles('venue/algos/*.ts')
    .filter(({ path }) => !free.includes(basename(path)))
    .flatMap((file) => ownImports(file).map((target) => ({ path: file.path, target })))
    .filter(({ target }) => roomOf(target) === 'algos' && basename(target) !== 'shape.ts')
    .map(({ path, target }) => `src/${path} imports src/${target}`);
  assert.deepEqual(offences, []);
});

test('the rest of the venue knows no algo by name, but for the attached orders that any futures order may have', () => {
  const common = ['registry.ts', 'shape.ts', 'after-sweep.ts'];
  const found = sourceFiles('venue/**/*.ts')
    .filter(({ path }) => roomOf(path) !== 'algos')
    .flatMap((file) => ownImports(file).map((target) => ({ path: file.path, target })))
    .filter(({ target }) => roomOf(target) === 'algos' && !common.includes(basename(target)))
    .map(({ path, target }) => `src/${path} imports src/${target}`);
  assert.deepEqual(found, ['src/venue/handlers/orders.ts imports src/venue/algos/attached.ts']);
});

test('src/venue knows no clock, no randomness and no machine', () => {
  const offences = sourceFiles('venue/**/*.ts').flatMap((file) =>
    impurities(file.code).map((word) => `src/${file.path} uses ${word}`),
  );
  assert.deepEqual(offences, []);
});

/** Ways to learn the time, to wait, or to draw a random number. */
const UNCONTROLLED =
  /(?<![.\w$])(?:Date\s*\.\s*now|new\s+Date\s*\(\s*\)|performance|setTimeout|setInterval|setImmediate|hrtime|Math\s*\.\s*random|randomBytes|randomInt|randomUUID)(?![\w$])/g;

/** The one that knows the machine; the lock of a real folder, which tells people when it was taken; and what servers see. */
const OUTSIDE_THE_WORLD = [
  'engine/contract/world.ts',
  'log/file/lock.ts',
  'log/postgres/lease.ts',
  'log/postgres/lease-thread.ts',
];

test('the engine and the log have time, turns, timers and randomness from World alone, so that a seed can order all of it', () => {
  const offences = sourceFiles('{engine,log}/**/*.ts')
    .filter(({ path }) => !OUTSIDE_THE_WORLD.includes(path.replaceAll(sep, '/')))
    .flatMap(({ path, code }) =>
      (withTemplates(code).match(UNCONTROLLED) ?? []).map((word) => `src/${path} uses ${word}`),
    );
  assert.deepEqual(offences, []);
});

test('nothing but the client, the command line and the lock of a folder goes by the clock of the machine', () => {
  const wall = /(?<![.\w$])(?:Date\s*\.\s*now|new\s+Date\s*\(\s*\))/;
  const found = sourceFiles('**/*.ts').filter(({ code }) => wall.test(withTemplates(code)));
  assert.deepEqual(found.map(({ path }) => path.replaceAll(sep, '/')).sort(), [
    'cli/keys.ts',
    'client/request.ts',
    'engine/contract/world.ts',
    'log/file/lock.ts',
  ]);
});

test('where every command passes, constants of other files are taken over as constants of the file', () => {
  const offences = sourceFiles('venue/{state,structures,risk,execution,steps}/*.ts').flatMap(({ path, code }) =>
    [...code.matchAll(/^import \{([^}]*)\} from /gm)]
      .flatMap(([, names]) => names.split(',').map((name) => name.trim()))
      .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name))
      .map((name) => `src/${path} imports ${name} by name (src/venue/README.md says why not)`),
  );
  assert.deepEqual(offences, []);
});

test('a field of the state that its constructor sets is declared, so that it has its type from the first store on', () => {
  const offences = sourceFiles('venue/state/*.ts').flatMap(({ path, code }) =>
    [...code.matchAll(/^(?:export )?class (\w+)[^\n]*\{\n([\s\S]*?)^\}/gm)].flatMap(([, name, body]) =>
      [...body.matchAll(/^ {2}(?:readonly )?(\w+)!?: [^=(\n]+;$/gm)].map(
        ([, field]) => `src/${path}: ${name}.${field} is not declared (src/venue/README.md says why)`,
      ),
    ),
  );
  assert.deepEqual(offences, []);
});

test('the words that make a venue impure are recognised', () => {
  for (const code of [
    'Date.now()',
    'new Date()',
    'Math.random()',
    'x = process.pid',
    'setTimeout(f)',
    '[performance]',
  ]) {
    assert.equal(impurities(code).length, 1, code);
  }
  for (const code of ['order.process()', "'Date'", '// Date', 'updated', '{ process: 1 }', 'Math.max(1)']) {
    assert.deepEqual(impurities(code), [], code);
  }
});

test('imports go one way: cli → api, feeds → archive → engine → log, venue', () => {
  const offences = sourceFiles('**/*.ts').flatMap((file) => {
    if (file.folder === '') return [];
    const allowed = ALLOWED[file.folder];
    if (!allowed) return [`src/${file.folder} has no place in the direction of imports`];
    return importsOf(file.code)
      .filter((specifier) => specifier.startsWith('.'))
      .filter((specifier) => ![file.folder, ...allowed].includes(targetFolder(file, specifier)))
      .map((specifier) => `src/${file.path} imports ${specifier}`);
  });
  assert.deepEqual(offences, []);
});

/** What files outside one folder of src import from it, as `file imports file`. */
function importsFrom(folder: string): string[] {
  const inside = join(source, folder) + sep;
  return sourceFiles('**/*.ts')
    .filter(({ path }) => !join(source, path).startsWith(inside))
    .flatMap((file) =>
      importsOf(file.code)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(source, dirname(file.path), specifier))
        .filter((target) => target.startsWith(inside))
        .map((target) => `${file.path} imports ${relative(source, target)}`),
    )
    .sort();
}

test('outside src/venue only its contract, venue.ts and views.ts are imported', () => {
  const doors = ['venue/contract/', 'venue/venue.ts', 'venue/views.ts'];
  const offences = importsFrom('venue')
    .map((line) => line.replaceAll(sep, '/'))
    .filter((line) => !doors.some((door) => line.includes(` imports ${door}`)));
  assert.deepEqual(offences, []);
});

test('the client imports Node alone, so that it carries no venue with it', () => {
  const found = sourceFiles('client/*.ts').flatMap(({ code }) => importsOf(code));
  assert.deepEqual(
    [...new Set(found)].filter((name) => !name.startsWith('./')),
    ['node:assert', 'node:crypto'],
  );
});

test('only one place knows which kinds of log there are, and only by the storage of each', () => {
  const kinds = Object.keys(ROOMS.log ?? {}).filter((room) => !['contract', 'shared'].includes(room));
  assert.deepEqual(kinds, ['file', 'memory', 'postgres']);
  assert.deepEqual(importsFrom('log/file'), [
    'log/copy.ts imports log/file/cold/folders.ts',
    'log/copy.ts imports log/file/disk.ts',
    'log/copy.ts imports log/file/frames.ts',
    'log/open.ts imports log/file/cold/folders.ts',
    'log/open.ts imports log/file/copy.ts',
    'log/open.ts imports log/file/disk.ts',
    'log/open.ts imports log/file/file-storage.ts',
    'log/open.ts imports log/file/sync-record.ts',
  ]);
  assert.deepEqual(importsFrom('log/memory'), ['log/open.ts imports log/memory/memory-storage.ts']);
  assert.deepEqual(importsFrom('log/postgres'), [
    'log/copy.ts imports log/postgres/database-storage.ts',
    'log/open.ts imports log/postgres/address.ts',
    'log/open.ts imports log/postgres/address.ts',
    'log/open.ts imports log/postgres/database-storage.ts',
  ]);
});

test('src imports only what the published package brings', () => {
  const packageFile = new URL('../../package.json', import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(packageFile, 'utf8')) as { dependencies: Record<string, string> };
  const offences = sourceFiles('**/*.ts').flatMap((file) =>
    importsOf(file.code)
      .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .filter((specifier) => {
        const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
        return isBuiltin(specifier) || !(name in dependencies);
      })
      .map((specifier) => `src/${file.path} imports ${specifier}`),
  );
  assert.deepEqual(offences, []);
});
