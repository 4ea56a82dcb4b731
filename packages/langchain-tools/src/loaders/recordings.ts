import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ConfigurationError, type UploadSource } from '@svc-audio/core'

/**
 * A recording, or several: the path of a file or of a folder, a URL, a `Blob`, bytes, the id of a stored file, or the id
 * of a transcription task. A string that begins with `http://` or `https://` is a URL. Never pass a string of a stranger.
 */
export type AudioLoaderSource =
  | string
  | URL
  | Blob
  | Uint8Array
  | {
      /** The recording: bytes, a `Blob` or a stream. */
      readonly file: UploadSource
      /** Name in the metadata of the documents. @default `audio` */
      readonly name?: string
    }
  | {
      /** Public https address, which the service fetches. */
      readonly url: string
    }
  | {
      /** Id of a file that the service has. */
      readonly file_id: string
    }
  | {
      /** Id of a transcription task: nothing is transcribed again. */
      readonly task_id: string
    }
  | readonly AudioLoaderSource[]

/** One recording with the name that documents carry. */
export interface Recording {
  readonly source: string
  readonly input:
    | { readonly file: UploadSource }
    | { readonly url: string }
    | { readonly file_id: string }
    | { readonly task_id: string }
}

/** Endings that a folder's files must have. */
const AUDIO = /\.(aac|alac|amr|flac|m4a|mov|mp3|mp4|mpe?g|ogg|opus|wav|webm|wma)$/i

/**
 * Checks a source without reading it. Empty text would be the current folder, with every recording in it.
 * @throws ConfigurationError for a source of another kind, and for empty text
 */
export function checkSource(source: AudioLoaderSource): void {
  if (isList(source)) {
    for (const item of source) checkSource(item)
  } else if (typeof source === 'string' && source.trim() === '') {
    throw new ConfigurationError("source must not be empty. Write '.' for the current folder")
  } else if (typeof source !== 'string' && !isNamed(source)) throw wrongSource()
}

/**
 * The recordings of a checked source, in order; those of a folder are sorted by their path, subfolders included.
 */
export async function listRecordings(source: AudioLoaderSource): Promise<readonly Recording[]> {
  if (isList(source)) return (await Promise.all(source.map(listRecordings))).flat()
  if (source instanceof URL) return [{ source: source.href, input: { url: source.href } }]
  if (typeof source === 'string') {
    if (/^https?:\/\//i.test(source)) return [{ source, input: { url: source } }]
    const path = resolve(source)
    // A missing file fails as its own recording, so that `onError` takes it as any other.
    const found = await stat(path).catch(() => undefined)
    return found?.isDirectory() === true ? folder(path) : [fileOf(path, basename(path))]
  }
  if (source instanceof Blob) return [{ source: nameOf(source), input: { file: source } }]
  if (source instanceof Uint8Array) return [{ source: 'audio', input: { file: source } }]
  return [named(source)]
}

function isList(source: AudioLoaderSource): source is readonly AudioLoaderSource[] {
  return Array.isArray(source)
}

type NamedSource = Exclude<AudioLoaderSource, string | URL | Blob | Uint8Array | readonly AudioLoaderSource[]>

function isNamed(source: Exclude<AudioLoaderSource, string | readonly AudioLoaderSource[]>): boolean {
  if (typeof source !== 'object' || source === null) return false
  if (source instanceof URL || source instanceof Blob || source instanceof Uint8Array) return true
  return ['url', 'file_id', 'task_id', 'file'].some((name) => name in source)
}

function named(source: NamedSource): Recording {
  if ('url' in source) return { source: source.url, input: source }
  if ('file_id' in source) return { source: source.file_id, input: source }
  if ('task_id' in source) return { source: source.task_id, input: source }
  return { source: source.name ?? 'audio', input: { file: source.file } }
}

function wrongSource(): ConfigurationError {
  return new ConfigurationError('source must be a path, a URL, a Blob, bytes, or { file, url, file_id or task_id }')
}

function nameOf(blob: Blob): string {
  return blob instanceof File && blob.name !== '' ? blob.name : 'audio'
}

async function folder(path: string): Promise<readonly Recording[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && AUDIO.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => fileOf(file, file.slice(path.length + 1)))
}

/** Documents are shown to models and stored: they carry no absolute path. */
function fileOf(path: string, source: string): Recording {
  return { source, input: { file: path } }
}
