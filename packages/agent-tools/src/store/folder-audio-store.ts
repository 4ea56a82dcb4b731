import { randomBytes, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from '#options'
import { checkOption } from '../options/resolve-options.ts'
import {
  type AudioStore,
  isAudioId,
  type PendingTranscript,
  readAudio,
  type StoredTranscript,
  type TranscriptStore,
  typeOf,
  typeOfExtension,
  userKey,
} from './audio-store.ts'

/** The only names that are ever opened: none can lead out of the folder. */
const ID = /^audio_[0-9a-f]{32}\.([a-z0-9]{3,4})$/

/** An {@link AudioStore} in a folder. */
export interface FolderAudioStore extends AudioStore {
  readonly transcripts: TranscriptStore
  /**
   * Absolute path of stored audio, for the application. `undefined` when there is none with that id.
   * @param access With the same `user` that the audio was stored for.
   */
  pathOf(id: string, access?: { readonly user?: string | undefined }): Promise<string | undefined>
}

/**
 * Stores audio as files in a folder, which is created when needed. The id is the file's name: 128 random bits and an
 * extension for the type. A file appears only once it is complete and on disk. Each user has a folder below; transcripts
 * are in `transcripts` below that. Nothing is ever deleted: the application decides about that.
 *
 * @param folder Path; a relative one is resolved at once.
 * @throws ConfigurationError for an empty path
 */
export function folderAudioStore(folder: string): FolderAudioStore {
  checkOption('folder', text, folder)
  const root = resolve(folder)
  const folderOf = (user: string | undefined): string =>
    user === undefined ? root : join(root, `user_${userKey(user)}`)

  async function find(id: string, user: string | undefined): Promise<FoundFile | undefined> {
    const [, extension = ''] = ID.exec(id) ?? []
    const contentType = typeOfExtension(extension)
    if (contentType === undefined) return undefined
    const path = join(folderOf(user), id)
    // Not stat: a link was not put here by this store.
    const info = await lstat(path).catch(missing)
    return info?.isFile() === true ? { path, contentType, bytes: info.size, modified: info.mtimeMs } : undefined
  }

  return {
    transcripts: folderTranscripts((user) => join(folderOf(user), 'transcripts')),

    async ready({ user } = {}) {
      await mkdir(folderOf(user), { recursive: true })
      await access(folderOf(user), constants.W_OK | constants.X_OK)
    },

    async put(audio, { contentType: given, signal, user }) {
      signal?.throwIfAborted()
      const [extension, contentType] = typeOf(given)
      const id = `audio_${randomBytes(16).toString('hex')}.${extension}`
      await mkdir(folderOf(user), { recursive: true })
      const bytes = await writeWhole(join(folderOf(user), id), readAudio(audio), signal)
      return { id, contentType, bytes }
    },

    async open(id, { user } = {}) {
      const found = await find(id, user)
      if (found === undefined) return undefined
      const { path, contentType, bytes } = found
      return { contentType, bytes, stream: () => createReadStream(path) }
    },

    async list({ user, limit = 100, signal } = {}) {
      const names = (await readdir(folderOf(user)).catch(missing)) ?? []
      const found: (FoundFile & { readonly id: string })[] = []
      for (const id of names) {
        signal?.throwIfAborted()
        const file = await find(id, user)
        if (file !== undefined) found.push({ id, ...file })
      }
      const newest = found.toSorted((one, other) => other.modified - one.modified).slice(0, limit)
      return newest.map(({ id, contentType, bytes }) => ({ id, contentType, bytes }))
    },

    async pathOf(id, { user } = {}) {
      return (await find(id, user))?.path
    },
  }
}

interface FoundFile {
  readonly path: string
  readonly contentType: string
  readonly bytes: number
  readonly modified: number
}

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

/**
 * Writes a file that appears only once it is complete and on disk: beside its target, then renamed, since a rename in
 * one folder is atomic.
 * @returns Size in bytes.
 */
async function writeWhole(
  path: string,
  audio: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const temporary = `${path}.${randomUUID()}.part`
  const file = await open(temporary, 'wx')
  try {
    for await (const chunk of audio) {
      signal?.throwIfAborted()
      await file.writeFile(chunk)
    }
    signal?.throwIfAborted()
    await file.sync()
    const { size } = await file.stat()
    await file.close()
    await rename(temporary, path)
    return size
  } catch (error) {
    await file.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}

/** Stores each transcript as a JSON file. @param folderOf The folder of a user. */
function folderTranscripts(folderOf: (user: string | undefined) => string): TranscriptStore {
  return {
    async get(id, { user } = {}) {
      if (!isAudioId(id)) return undefined
      const json = await readFile(join(folderOf(user), `${id}.json`), 'utf8').catch(missing)
      if (json === undefined) return undefined
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `set` writes here
      return JSON.parse(json) as StoredTranscript | PendingTranscript
    },
    async set(id, transcript, { user, signal } = {}) {
      const folder = folderOf(user)
      await mkdir(folder, { recursive: true })
      const bytes = new TextEncoder().encode(JSON.stringify(transcript))
      await writeWhole(join(folder, `${id}.json`), readAudio(bytes), signal)
    },
  }
}
