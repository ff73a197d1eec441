/**
 * A folder outside the data folder that keeps segments which were moved away.
 *
 *     00000001.log.zst          a segment as it was, compressed with zstd; `zstd -d` gives it back
 *     manifest-00000001.json    lists 500 segments, from that one on, with a checksum
 *
 * Invariants:
 * - A segment is listed only once its file is durable and was read back.
 * - A file is replaced only by the same segment. Another history, or another venue's, is refused.
 *
 * Cost: one segment in memory, twice; one manifest of at most 300 KB is replaced for each segment.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { LogDamaged } from '../../contract/command-log.ts';
import type { SegmentEnd } from '../../shared/chain.ts';
import { readDocument, toCheckedJson } from '../../shared/checked-json.ts';
import { segmentName } from '../../shared/segments.ts';
import type { Disk } from '../disk.ts';
import { writeDocument } from '../file-documents.ts';

const FORMAT = 1;
const LISTED = 500;
/** The largest segment that a manifest may promise. */
const MAX_BYTES = 2 ** 31 - 1;
const OWN_NAME = /^(\d{8,}\.log\.zst|manifest-\d{8,}\.json)(\.new)?$/;

const compress = promisify<Buffer, object, Buffer>(zstdCompress);

/** A segment in the folder. */
export interface ColdSegment extends SegmentEnd {
  /** The size of the segment. */
  readonly bytes: number;
  /** The size of its file. */
  readonly storedBytes: number;
  /** Of the file, in hex. */
  readonly sha256: string;
}

/** The folder cannot take these segments, or does not have them. The message says what would be right. */
export class ColdFolderUnfit extends Error {
  override readonly name = 'ColdFolderUnfit';
}

interface Manifest {
  readonly venueId?: string;
  readonly segments: readonly ColdSegment[];
}

export class ColdFolder {
  readonly #disk: Disk;
  /** The manifest that was read last, by name. */
  #last: { readonly name: string; readonly manifest: Manifest } | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get where(): string {
    return this.#disk.folder;
  }

  /** Refuses a folder that somebody uses for something else. @throws {ColdFolderUnfit} */
  refuseForeign(): void {
    const names = this.#disk.names();
    if (names.some((name) => name.startsWith('manifest-'))) return;
    const foreign = names.find((name) => !OWN_NAME.test(name));
    if (foreign === undefined) return;
    throw new ColdFolderUnfit(
      `${this.where} has other files, such as ${foreign}, and no moved log: choose a new folder, or an empty one`,
    );
  }

  /**
   * What the folder lists for a segment. Undefined: nothing. `venueId`: of the venue whose log it must be.
   * @throws {ColdFolderUnfit} the folder belongs to another venue @throws {LogDamaged} @throws {LogUnsupported}
   */
  listed(segment: number, venueId: string | undefined): ColdSegment | undefined {
    const find = (manifest: Manifest | undefined) => manifest?.segments.find((entry) => entry.segment === segment);
    const name = manifestName(segment);
    let manifest = this.#manifest(name);
    // A running venue may have listed it since the manifest was read.
    if (find(manifest) === undefined) {
      this.#last = undefined;
      manifest = this.#manifest(name);
    }
    if (manifest?.venueId !== undefined && venueId !== undefined && manifest.venueId !== venueId) {
      throw new ColdFolderUnfit(
        `${this.where} belongs to another venue: its id is ${manifest.venueId}, this one has ${venueId}. ` +
          'Give each venue a folder for itself',
      );
    }
    return find(manifest);
  }

  /** The file of a segment. Undefined: there is no such file. @throws {LogDamaged} it is not as the manifest says */
  read(listed: ColdSegment): Buffer | undefined {
    const name = fileName(listed.segment);
    const stored = this.#disk.read(name);
    if (stored === undefined) return undefined;
    if (stored.length !== listed.storedBytes || hash('sha256', stored, 'hex') !== listed.sha256) {
      throw this.#damaged(name, `${stored.length} bytes that do not match the manifest`);
    }
    return this.#decompressed(name, stored, listed.bytes);
  }

  /**
   * Makes the file of a segment durable, and reads it back. An equal file is left as it is.
   * @throws {ColdFolderUnfit} another file of that name exists @throws {LogFull} @throws {LogDamaged}
   */
  async store(segment: number, bytes: Buffer, listed: ColdSegment | undefined): Promise<StoredFile> {
    const name = fileName(segment);
    const kept = this.#kept(name, bytes);
    if (kept === 'other' && listed === undefined) {
      throw new ColdFolderUnfit(
        `${this.where} has another ${name}, which no manifest lists: move it away, or choose another folder`,
      );
    }
    if (kept !== 'same') await this.#write(name, bytes);
    const stored = this.#disk.read(name) ?? Buffer.alloc(0);
    if (!this.#decompressed(name, stored, bytes.length).equals(bytes)) {
      throw this.#damaged(name, 'it was just written, and is read back differently');
    }
    return { bytes: bytes.length, storedBytes: stored.length, sha256: hash('sha256', stored, 'hex') };
  }

  /** Lists a segment durably, in the place of an entry for the same segment. @throws {LogFull} */
  async list(entry: ColdSegment): Promise<void> {
    const name = manifestName(entry.segment);
    const before = this.#manifest(name);
    const others = before?.segments.filter(({ segment }) => segment !== entry.segment) ?? [];
    const segments = [...others, entry].sort((a, b) => a.segment - b.segment);
    const venueId = before?.venueId ?? entry.venueId;
    const manifest: Manifest = { ...(venueId !== undefined && { venueId }), segments };
    const text = Buffer.from(toCheckedJson({ format: FORMAT, ...manifest }));
    await writeDocument(this.#disk, name, text);
    this.#last = { name, manifest };
  }

  #kept(name: string, bytes: Buffer): 'same' | 'other' | undefined {
    const stored = this.#disk.read(name);
    if (stored === undefined) return undefined;
    try {
      return this.#decompressed(name, stored, bytes.length).equals(bytes) ? 'same' : 'other';
    } catch (error) {
      if (error instanceof LogDamaged) return 'other';
      throw error;
    }
  }

  async #write(name: string, bytes: Buffer): Promise<void> {
    // The checksum lets `zstd -t` check the file.
    await writeDocument(this.#disk, name, await compress(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }));
  }

  #decompressed(name: string, stored: Buffer, bytes: number): Buffer {
    let plain: Buffer;
    try {
      plain = zstdDecompressSync(stored, { maxOutputLength: Math.min(bytes, MAX_BYTES) });
    } catch (cause) {
      throw this.#damaged(name, 'it cannot be decompressed', cause);
    }
    if (plain.length !== bytes) throw this.#damaged(name, `it holds ${plain.length} bytes instead of ${bytes}`);
    return plain;
  }

  #manifest(name: string): Manifest | undefined {
    if (this.#last?.name === name) return this.#last.manifest;
    const text = this.#disk.read(name)?.toString('utf8');
    if (text === undefined) return undefined;
    const damaged = (reason: string, cause?: unknown) => this.#damaged(name, reason, cause);
    const manifest = readDocument(text, { place: `${this.where}/${name}`, format: FORMAT, damaged });
    if (!Array.isArray((manifest as Partial<Manifest>).segments)) throw this.#damaged(name, 'it lists no segments');
    this.#last = { name, manifest: manifest as unknown as Manifest };
    return this.#last.manifest;
  }

  #damaged(name: string, reason: string, cause?: unknown): LogDamaged {
    return new LogDamaged(`${this.where}/${name}`, reason, { what: 'the moved part of the log', cause });
  }
}

/** A file that was written and read back. */
type StoredFile = Pick<ColdSegment, 'bytes' | 'storedBytes' | 'sha256'>;

function fileName(segment: number): string {
  return `${segmentName(segment)}.zst`;
}

/** The manifest that lists a segment is named after the first one that it can list. */
function manifestName(segment: number): string {
  const first = segment - ((segment - 1) % LISTED);
  return `manifest-${String(first).padStart(8, '0')}.json`;
}
