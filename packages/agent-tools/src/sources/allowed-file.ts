import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import type { UploadFile } from '@svc-audio/core'
import { HEAD_BYTES, sniff } from '@svc-audio/core/adapter'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { TranscriptSource } from '../store/audio-store.ts'

/**
 * Opens an audio file that a model named, if it is a regular file inside `root` once every link is followed. The open
 * file is what is uploaded, so a link that replaces it changes nothing. A link out of the root is answered like a
 * file that does not exist, so nothing can be learned about its target.
 * @throws SpeechToolError `path_not_allowed`, `audio_not_found` or `audio_unreadable`
 */
export async function openAllowedFile(root: string, path: string): Promise<AudioSource> {
  const wanted = resolve(root, path)
  // Before anything is looked up, so that nothing can be learned about files elsewhere.
  if (!isInside(resolve(root), wanted)) throw notAllowed()
  const { real, inside } = await locate(root, wanted)
  // A link or a pipe that took the file's place in between is not followed and not waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(real, flags).catch((error: unknown) => {
    throw unreadable(error)
  })
  try {
    const { size, mtimeMs } = await verify(file, (await locate(root, wanted)).real)
    const head = await readHead(file, size)
    // The folder may hold more than audio: nothing else leaves the process.
    if (sniff(head) === undefined) throw notAudio()
    const stream = (): AsyncIterable<Uint8Array> => file.createReadStream({ autoClose: false, start: 0, end: size - 1 })
    return {
      source: { type: 'path', path: inside },
      key: JSON.stringify(['path', inside, size, mtimeMs]),
      body: { file: { data: stream, name: basename(real), size } },
      head,
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

interface Located {
  readonly real: string
  /** Relative to the root, with `/` between folders. */
  readonly inside: string
}

/** The file's real path, which must be inside the root's real path. */
async function locate(root: string, wanted: string): Promise<Located> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(wanted)]).catch((error: unknown) => {
    throw notFound(error)
  })
  if (!isInside(realRoot, real) || !(await lstat(real)).isFile()) throw notFound()
  return { real, inside: relative(realRoot, real).split(sep).join('/') }
}

/** The open file must be the one at this path: a folder above it may have been exchanged. */
async function verify(file: FileHandle, real: string): Promise<{ readonly size: number; readonly mtimeMs: number }> {
  const [opened, found] = await Promise.all([file.stat(), lstat(real)])
  if (opened.ino !== found.ino || opened.dev !== found.dev) throw notFound()
  if (opened.size === 0) throw unreadable()
  return opened
}

async function readHead(file: FileHandle, size: number): Promise<Uint8Array> {
  const head = new Uint8Array(Math.min(HEAD_BYTES, size))
  const { bytesRead } = await file.read(head, 0, head.byteLength, 0)
  return head.subarray(0, bytesRead)
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function notAllowed(): SpeechToolError {
  return new SpeechToolError('path_not_allowed', 'Only files in a shared folder can be read. Give a path inside it.')
}

function notFound(cause?: unknown): SpeechToolError {
  const message = 'There is no such reference, and no such file in a shared folder. Check the name.'
  return new SpeechToolError('audio_not_found', message, { cause })
}

function notAudio(): SpeechToolError {
  const message = 'This file is not audio of a known format, so it is not sent. Give an audio file, e.g. WAV or MP3.'
  return new SpeechToolError('audio_unreadable', message)
}

function unreadable(cause?: unknown): SpeechToolError {
  return new SpeechToolError('audio_unreadable', 'This file is empty or cannot be read. Use another one.', { cause })
}

/** Audio that may be transcribed, checked and opened. */
export interface AudioSource {
  /** What the model named. */
  readonly source: TranscriptSource
  /** The same for the same audio; `undefined` where the audio behind an address may change. */
  readonly key: string | undefined
  /** The source as a request takes it. */
  readonly body:
    | {
        /** Bytes to send. */
        readonly file: UploadFile
      }
    | {
        /** Id of a file that the service has. */
        readonly file_id: string
      }
    | {
        /** Address that the service fetches. */
        readonly url: string
      }
  /** The first bytes, where they are at hand. */
  readonly head?: Uint8Array
  /** Closes the source. */
  readonly close?: () => Promise<void>
}
