/**
 * The page's files: an allow-list that is read once in a process, with the first request, so that a venue nobody looks
 * at pays nothing. What is not in it does not exist, so no path reaches another file. Everything but the document itself
 * has the digest of all files in its path, so a browser keeps it for ever and never mixes two versions.
 *
 * The modules import the libraries by name, so the document has an import map. The content security policy permits that
 * one inline script by its hash.
 */
import { hash } from 'node:crypto';
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A library: the name that modules import, its file, and the package through which it is found. */
interface Library {
  readonly name: string;
  readonly package: string;
  readonly file: string;
  /** Not a dependency of this package, but of that one. */
  readonly through?: string;
}

/** The standalone build of the chart contains what it depends on. */
const LIBRARIES: readonly Library[] = [
  { name: 'preact', package: 'preact', file: 'dist/preact.mjs' },
  { name: 'preact/hooks', package: 'preact', file: 'hooks/dist/hooks.mjs' },
  { name: '@preact/signals', package: '@preact/signals', file: 'dist/signals.mjs' },
  {
    name: '@preact/signals-core',
    package: '@preact/signals-core',
    file: 'dist/signals-core.mjs',
    through: '@preact/signals',
  },
  { name: 'htm', package: 'htm', file: 'dist/htm.mjs' },
  {
    name: 'lightweight-charts',
    package: 'lightweight-charts',
    file: 'dist/lightweight-charts.standalone.production.mjs',
  },
];

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
};

/** The views. Each is an address, and the document at all of them is the same. */
const VIEWS = /^\/(?:account\/[^/]+|account|orders\/[^/]+|orders|time|control|operations)?$/;

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
  readonly cache: string;
  /** Of the document. */
  readonly policy?: string;
}

/** Before the digest of all files. */
const FILES = '/page/';
const SOURCE = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(SOURCE, 'page');
/** Modules of other folders that the page uses too. */
const SHARED = ['story/words.js'];

/** Of this process. */
let shared: PageFiles | undefined;

/**
 * The page's file at that path, without query. Undefined: the page has none. The first one takes some 10 ms and reads all
 * files, so a path that cannot be of the page, such as `/health`, must not ask for them.
 */
export function pageFile(path: string): PageFile | undefined {
  if (!VIEWS.test(path) && !path.startsWith(FILES)) return undefined;
  shared ??= new PageFiles();
  return shared.at(path);
}

class PageFiles {
  readonly #files = new Map<string, PageFile>();
  readonly #document: PageFile;

  constructor() {
    const own = globSync('**/*.{js,css,svg}', { cwd: FOLDER })
      .map((path) => path.replaceAll('\\', '/'))
      .sort();
    const bodies = new Map(own.map((path) => [path, readFileSync(join(FOLDER, path))]));
    for (const library of LIBRARIES) bodies.set(`lib/${library.name}.mjs`, readFileSync(placeOf(library)));
    const shared = new Map(SHARED.map((path) => [path, readFileSync(join(SOURCE, path))]));
    const digest = digestOf(Buffer.concat([...bodies.values(), ...shared.values()])).slice(0, 16);
    // As in src, so that a module of the page finds a shared one by the same relative path.
    const root = `${FILES}${digest}`;
    const base = `${root}/page`;
    const serve = (at: string, path: string, body: Buffer) =>
      this.#files.set(`${at}/${path}`, fileOf(path, body, 'public, max-age=31536000, immutable'));
    for (const [path, body] of bodies) serve(base, path, body);
    for (const [path, body] of shared) serve(root, path, body);
    const imports = Object.fromEntries(LIBRARIES.map(({ name }) => [name, `${base}/lib/${name}.mjs`]));
    const map = JSON.stringify({ imports });
    const template = readFileSync(join(FOLDER, 'index.html'), 'utf8');
    const body = Buffer.from(template.replaceAll('{base}', base).replace('{importmap}', map));
    this.#document = { ...fileOf('index.html', body, 'no-cache'), policy: policyOf(map) };
  }

  at(path: string): PageFile | undefined {
    return VIEWS.test(path) ? this.#document : this.#files.get(path);
  }
}

function placeOf({ package: name, file, through }: Library): string {
  const packageFile = (wanted: string, from: string): string => {
    const found = findPackageJSON(wanted, from);
    if (found === undefined) throw new Error(`the package ${wanted} of the page is not installed`);
    // A package that is linked finds its dependencies from where it really is.
    return realpathSync(found);
  };
  const from = through === undefined ? import.meta.url : pathToFileURL(packageFile(through, import.meta.url)).href;
  return join(dirname(packageFile(name, from)), file);
}

function fileOf(path: string, body: Buffer, cache: string): PageFile {
  return { type: TYPES[path.slice(path.lastIndexOf('.') + 1)], body, etag: `"${digestOf(body)}"`, cache };
}

function digestOf(body: Buffer): string {
  return hash('sha256', body, 'hex');
}

/** Nothing is loaded but from here, nothing is inline but the import map, and no frame holds the page. */
function policyOf(importMap: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', importMap, 'base64')}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
