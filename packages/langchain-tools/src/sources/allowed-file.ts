import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { TranscribeSource } from './open-source.ts'

/**
 * Opens a file that a model named, if it is a regular file inside `root` once every link is followed. The open file is
 * what is uploaded, so that a link put there meanwhile changes nothing.
 * @throws SpeechToolError `path_not_allowed`, `audio_not_found` or `audio_unreadable`
 */
export async function openAllowedFile(root: string, path: string): Promise<TranscribeSource> {
  const wanted = resolve(root, path)
  // Before anything is looked up, so that nothing can be learned about files elsewhere.
  if (!isInside(resolve(root), wanted)) throw notAllowed()
  const real = await locate(root, wanted)
  // A link or a pipe that took the file's place in between is not followed and not waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(real, flags).catch((error: unknown) => {
    throw unreadable(error)
  })
  try {
    const size = await verify(file, await locate(root, wanted))
    const stream = (): AsyncIterable<Uint8Array> => file.createReadStream({ autoClose: false, start: 0, end: size - 1 })
    return {
      source: { type: 'path', path: real },
      body: { file: { data: stream, name: basename(real), size } },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The file's real path, which must be inside the root's real path. */
async function locate(root: string, wanted: string): Promise<string> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(wanted)]).catch((error: unknown) => {
    throw notFound(error)
  })
  if (!isInside(realRoot, real)) throw notAllowed()
  if (!(await lstat(real)).isFile()) throw notFound()
  return real
}

/** The open file must be the one at this path: a folder above it may have been exchanged. */
async function verify(file: FileHandle, real: string): Promise<number> {
  const [opened, found] = await Promise.all([file.stat(), lstat(real)])
  if (opened.ino !== found.ino || opened.dev !== found.dev) throw notAllowed()
  if (opened.size === 0) throw unreadable()
  return opened.size
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function notAllowed(): SpeechToolError {
  return new SpeechToolError('path_not_allowed', 'Only files in the shared folder can be read.')
}

function notFound(cause?: unknown): SpeechToolError {
  return new SpeechToolError('audio_not_found', 'There is no such reference, and no such file in the shared folder.', {
    cause,
  })
}

function unreadable(cause?: unknown): SpeechToolError {
  return new SpeechToolError('audio_unreadable', 'This file is empty or cannot be read.', { cause })
}
