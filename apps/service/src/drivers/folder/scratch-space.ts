import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ScratchSpace } from '../../ports/scratch-space.ts'

/** Scratch space in a folder. The folder must exist. */
export function createScratchSpace(folder: string): ScratchSpace {
  const withPath: ScratchSpace['withPath'] = async (use) => {
    const own = await mkdtemp(join(folder, 'fetch-'))
    try {
      return await use(join(own, 'file'))
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  }
  return {
    withPath,
    withCopy: (source, use) =>
      withPath(async (path) => {
        await pipeline(Readable.from(source, { objectMode: false }), createWriteStream(path, { mode: 0o600 }))
        return use(() => createReadStream(path))
      }),
    async clear() {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}
