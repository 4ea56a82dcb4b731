import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScratchSpace } from '../../ports/scratch-space.ts'

/** Scratch space in a folder. The folder must exist. */
export function createScratchSpace(folder: string): ScratchSpace {
  return {
    async withPath(use) {
      const own = await mkdtemp(join(folder, 'fetch-'))
      try {
        return await use(join(own, 'file'))
      } finally {
        await rm(own, { recursive: true, force: true })
      }
    },
    async clear() {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}
