import type { FileAccess } from '../transport/upload-source.ts'

const load = async (): Promise<FileAccess> => (await import('./files.ts')).nodeFiles

/** Files on this machine. The code is loaded with the first file, so importing the client costs almost nothing. */
export const lazyFiles: FileAccess = {
  open: async (...path) => (await load()).open(...path),
  save: async (...file) => (await load()).save(...file),
  saveWav: async (...file) => (await load()).saveWav(...file),
}
