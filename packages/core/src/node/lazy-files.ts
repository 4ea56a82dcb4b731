import type { FileAccess } from '../transport/uploads.ts'

const load = async (): Promise<FileAccess> => (await import('./files.ts')).nodeFiles

/** Files on this machine. What reads and writes them is loaded with the first one, so that importing costs next to nothing. */
export const lazyFiles: FileAccess = {
  open: async (...path) => (await load()).open(...path),
  save: async (...file) => (await load()).save(...file),
  saveWav: async (...file) => (await load()).saveWav(...file),
}
