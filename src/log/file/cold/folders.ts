/** Cold folders by their paths on this machine. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { makeDurableFolder } from '../../shared/folder.ts';
import type { MovableLog, Moved, MovedSegments } from '../../shared/moved.ts';
import { type LogFiles, RealDisk } from '../disk.ts';
import { FolderSegments } from '../moved.ts';
import { ColdFiles } from './cold-files.ts';
import { ColdFolder, ColdFolderUnfit } from './cold-folder.ts';
import { ColdSegments } from './cold-segments.ts';
import { type MoveOptions, SegmentMover } from './segment-mover.ts';

export type { MoveOptions, SegmentMover };

/**
 * The files of a log in `folder`, together with what was moved to the cold folders.
 * @throws {RangeError} a cold folder does not exist
 * @throws {ColdFolderUnfit} they do not have what was moved @throws {LogDamaged} @throws {LogUnsupported}
 */
export function withCold(folder: string, cold: readonly string[]): LogFiles {
  return new ColdFiles(new RealDisk(folder), coldFolders(cold));
}

/** The segments that were moved to the cold folders, by the note of the log. @throws {RangeError} a folder does not exist */
export function coldSegments(cold: readonly string[]): (moved: Moved) => MovedSegments {
  const folders = coldFolders(cold);
  return (moved) => new ColdSegments(folders, moved);
}

/** What moves segments of the log in `folder` to `to`, which must be outside it. As `logMover`. */
export async function segmentMover(folder: string, to: string, options: MoveOptions): Promise<SegmentMover> {
  const target = resolve(to);
  const within = relative(realPath(folder), realPath(target));
  if (!within.startsWith('..') && !isAbsolute(within)) {
    throw new ColdFolderUnfit(`${target} is inside the data folder ${folder}: choose a folder outside it`);
  }
  return logMover(new FolderSegments(new RealDisk(folder)), to, options);
}

/**
 * What moves segments of a log to `to`, which is created if nothing was moved yet. The caller owns the log, or is part of the
 * process that does.
 * @throws as `SegmentMover.open` @throws {FolderUnusable}
 */
export async function logMover(log: MovableLog, to: string, options: MoveOptions): Promise<SegmentMover> {
  const target = resolve(to);
  const moved = await log.note();
  // A new folder would hide that a disk is not mounted.
  if (moved !== undefined && !isFolder(target)) {
    throw new ColdFolderUnfit(
      `there is no folder at ${target}, and the log was moved to ${moved.to} before: is its disk mounted?`,
    );
  }
  makeDurableFolder(target);
  return SegmentMover.open(log, coldFolder(target), options);
}

function coldFolders(paths: readonly string[]): ColdFolder[] {
  for (const path of paths) if (!isFolder(path)) throw new RangeError(`there is no folder at ${path}`);
  return paths.map(coldFolder);
}

function coldFolder(folder: string): ColdFolder {
  return new ColdFolder(new RealDisk(resolve(folder)));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The path without links. What does not exist yet is below the folder that exists. */
function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const parent = dirname(absolute);
  return resolve(realPath(parent), relative(parent, absolute));
}
