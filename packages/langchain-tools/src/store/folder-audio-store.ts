import { randomBytes, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AudioDetails, AudioStore } from './audio-store.ts'

/** Endings of the files by MIME type; the first of a type is used. */
const TYPES: readonly (readonly [extension: string, contentType: string])[] = [
  ['wav', 'audio/wav'],
  ['wav', 'audio/x-wav'],
  ['wav', 'audio/wave'],
  ['wav', 'audio/vnd.wave'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
  ['m4a', 'audio/mp4'],
  ['webm', 'audio/webm'],
  ['bin', 'application/octet-stream'],
]

/** The only names that are ever opened: nothing in one can leave the folder. */
const ID = /^audio_[0-9a-f]{32}\.([a-z0-9]{3,4})$/

/**
 * Keeps audio as files in a folder, which is made when it is needed. The id is the file's name: 128 random bits and an
 * ending that tells the type, so that nothing else has to be kept. A file appears only once it is complete and on disk.
 * Nothing is ever deleted: that is the application's to decide.
 *
 * @param folder Path; a relative one is resolved at once.
 */
export function folderAudioStore(folder: string): AudioStore {
  const root = resolve(folder)
  return {
    async put(audio, details) {
      const [extension, contentType] = typeOf(details.contentType)
      const id = `audio_${randomBytes(16).toString('hex')}.${extension}`
      const path = join(root, id)
      await mkdir(root, { recursive: true })
      const bytes = await writeWhole(path, audio, details)
      return { id, path, contentType, bytes }
    },

    async open(id) {
      const [, extension] = ID.exec(id) ?? []
      const [, contentType] = TYPES.find(([known]) => known === extension) ?? []
      if (contentType === undefined) return undefined
      const path = join(root, id)
      // Not stat: what is linked here was not put here.
      const info = await lstat(path).catch(missing)
      if (info?.isFile() !== true) return undefined
      return { contentType, bytes: info.size, stream: () => createReadStream(path) }
    },
  }
}

function typeOf(contentType: string): readonly [extension: string, contentType: string] {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const [extension = 'bin'] = TYPES.find(([, known]) => known === type.trim()) ?? []
  return TYPES.find(([known]) => known === extension) ?? ['bin', 'application/octet-stream']
}

/** Writes beside the target and renames, since a rename in one folder is atomic. */
async function writeWhole(path: string, audio: AsyncIterable<Uint8Array>, { signal }: AudioDetails): Promise<number> {
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

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
