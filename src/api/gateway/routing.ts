/**
 * Finds the route of a request: compares the raw target with exact paths, before anything is decoded. A target that is
 * not byte for byte a known path is not found. So no other spelling of a path (absolute form, %2e, //, /./, a trailing
 * slash) reaches a route under another signature.
 */
import { KnownPaths } from '../../config/nearest-path.ts';
import { ApiError, type Envelope, malformed } from '../shared/errors.ts';
import { Bare } from '../shared/json.ts';
import type { Method, Route, Surface } from '../shared/surface.ts';

export interface Endpoint {
  readonly route: Route;
  readonly surface: Surface;
  readonly path: string;
  readonly signedPath: string;
}

export interface PathEntry {
  readonly envelope: Envelope;
  readonly methods: ReadonlyMap<string, Endpoint>;
  /** For the Allow header: 'GET, POST, OPTIONS'. */
  readonly allowed: string;
}

export class Routing {
  readonly #entries = new Map<string, PathEntry>();
  readonly #surfaces: readonly Surface[];
  readonly #known: KnownPaths;

  /** Throws if two routes share method and path, which is a mistake in the program. */
  constructor(surfaces: readonly Surface[]) {
    this.#surfaces = surfaces;
    for (const surface of surfaces) {
      const paths = new Set(surface.routes.map((route) => surface.basePath + route.path));
      for (const path of paths) {
        if (this.#entries.has(path)) throw new Error(`two surfaces serve ${path}`);
        this.#entries.set(path, entryOf(surface, path));
      }
    }
    this.#known = new KnownPaths(this.#entries.keys());
  }

  find(path: string): PathEntry | undefined {
    return this.#entries.get(path);
  }

  /** All that are served and begin so. */
  beginningWith(prefix: string): readonly PathEntry[] {
    return [...this.#entries].filter(([path]) => path.startsWith(prefix)).map(([, entry]) => entry);
  }

  /** What was probably meant by a path without a route, as the end of a sentence. Empty: nobody can say. */
  hint(path: string): string {
    if (OF_CONTROL.test(path)) return ': it is on the port of the control surface (--control-port)';
    return this.#versionHint(path) ?? this.#known.hint(path);
  }

  /** For a version of an interface that is not served: the same path in the others, or else which others there are. */
  #versionHint(path: string): string | null {
    const [, start, rest] = VERSIONED.exec(path) ?? [];
    if (start === undefined) return null;
    const bases = this.#surfaces
      .map(({ basePath }) => basePath)
      .filter((basePath) => VERSION_BASE.exec(basePath)?.[1] === start);
    if (bases.length === 0 || bases.some((base) => path === base || path.startsWith(`${base}/`))) return null;
    const same = bases.map((base) => `${base}${rest}`).filter((other) => this.#entries.has(other));
    return same.length > 0 ? `: did you mean ${same.join(' or ')}?` : `: ${start} has ${bases.join(', ')}`;
  }

  /** The path beside this one that takes the method: `…/orders` beside `…/order`. */
  siblingWith(method: string, path: string): string | undefined {
    const siblings = [`${path}s`, path.replace(/s$/, '')];
    return siblings.find((other) => other !== path && this.#entries.get(other)?.methods.has(method));
  }

  /** The error for a path without a route. It names the route that was probably meant. */
  missing(path: string): ApiError {
    for (const { basePath, notOffered = [] } of this.#surfaces) {
      const found = notOffered.find((one) => {
        const whole = basePath + one.path;
        return one.path.endsWith('/') ? path.startsWith(whole) : path === whole;
      });
      if (found !== undefined) return new ApiError('notOffered', { what: found.what, instead: found.instead });
    }
    return new ApiError('pathNotFound', { path, hint: this.hint(path) });
  }

  /** The envelope that a client of this target expects, whether the path is known or not. */
  envelopeOf(target: string): Envelope {
    const surface = this.#surfaces.find(({ basePath }) => target.startsWith(`${basePath}/`));
    return surface?.envelope ?? (target.includes('/futures') ? 'A' : 'B');
  }
}

/** What only the other port has. */
const OF_CONTROL = /^\/(?:control\/v1(?:\/|$)|livez$|readyz$)/;
/** '/spot/api/' and what follows the version. */
const VERSIONED = /^(\/[a-z-]+\/api\/)v[0-9.]{1,8}(\/.{0,200})$/;
const VERSION_BASE = /^(.*\/)v[0-9.]+$/;

function entryOf(surface: Surface, path: string): PathEntry {
  const methods = new Map<string, Endpoint>();
  for (const route of surface.routes) {
    if (surface.basePath + route.path !== path) continue;
    if (methods.has(route.method)) throw new Error(`${surface.name} has two routes for ${route.method} ${path}`);
    methods.set(route.method, { route, surface, path, signedPath: path.slice(surface.unsignedPrefix.length) });
  }
  const order: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
  const allowed = [...order.filter((method) => methods.has(method)), 'OPTIONS'].join(', ');
  return { envelope: surface.envelope, methods, allowed };
}

const NO_QUERY: Record<string, string> = Object.freeze(new Bare<string>());

/** Decodes a query (without its '?'). Refuses a repeated name, because nobody can know which value was meant. */
export function parseQuery(text: string): Record<string, string> {
  if (text === '') return NO_QUERY;
  const query = new Bare<string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const cut = pair.indexOf('=');
    const name = decoded(cut < 0 ? pair : pair.slice(0, cut));
    if (name in query) throw malformed(name, 'is given twice', 'give it once');
    query[name] = cut < 0 ? '' : decoded(pair.slice(cut + 1));
  }
  return query;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('query', 'contains a broken escape', 'write each byte of UTF-8 as % and two hex digits');
  }
}
