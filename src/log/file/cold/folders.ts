/** Cold folders by their paths on this machine. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { makeDurableFolder } from '../../shared/folder.ts';
import { type LogFiles, RealDisk } from '../disk.ts';
import { readMoved } from '../moved.ts';
import { ColdFiles } from './cold-files.ts';
import { ColdFolder, ColdFolderUnfit } from './cold-folder.ts';
import { type MoveOptions, SegmentMover } from './segment-mover.ts';

export type { MoveOptions, SegmentMover };

/**
 * The files of a log in `folder`, together with what was moved to the cold folders.
 * @throws {RangeError} a cold folder does not exist
 * @throws {ColdFolderUnfit} they do not have what was moved @throws {LogDamaged} @throws {LogUnsupported}
 */
export function withCold(folder: string, cold: readonly string[]): LogFiles {
  for (const other of cold) if (!isFolder(other)) throw new RangeError(`there is no folder at ${other}`);
  return new ColdFiles(new RealDisk(folder), cold.map(coldFolder));
}

/**
 * What moves segments of the log in `folder` to `to`, which is created if nothing was moved yet. The caller owns the
 * folder, or is part of the process that does.
 * @throws as `SegmentMover.open` @throws {FolderUnusable}
 */
export async function segmentMover(folder: string, to: string, options: MoveOptions): Promise<SegmentMover> {
  const target = resolve(to);
  const within = relative(realPath(folder), realPath(target));
  if (!within.startsWith('..') && !isAbsolute(within)) {
    throw new ColdFolderUnfit(`${target} is inside the data folder ${folder}: choose a folder outside it`);
  }
  const disk = new RealDisk(folder);
  const moved = readMoved(disk);
  // A new folder would hide that a disk is not mounted.
  if (moved !== undefined && !isFolder(target)) {
    throw new ColdFolderUnfit(
      `there is no folder at ${target}, and the log was moved to ${moved.to} before: is its disk mounted?`,
    );
  }
  makeDurableFolder(target);
  return SegmentMover.open(disk, coldFolder(target), options);
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
