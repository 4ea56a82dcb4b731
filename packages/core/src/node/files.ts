import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { InvalidRequestError } from '../errors/request-errors.ts'
import { HEAD_BYTES } from '../audio/sniff.ts'
import { OCTETS } from '../transport/upload-name.ts'
import type { FileAccess } from '../transport/upload-source.ts'
import { readChunks } from './file-chunks.ts'
import { systemCode } from './file-sink.ts'
import { save, saveWav } from './save.ts'

/** Files on this machine. Uploads are read in constant memory. A result file appears only when it is complete. */
export const nodeFiles: FileAccess = {
  async open(path, param) {
    const { size, head } = await look(path, param)
    return {
      name: basename(path),
      type: OCTETS,
      size,
      head,
      open: () => readChunks(path, size),
    }
  },

  save,
  saveWav,
}

/** Opening a pipe or device may block forever, so the type is checked first. */
async function look(path: string, param: string): Promise<{ size: number; head: Uint8Array }> {
  try {
    const info = await stat(path)
    if (!info.isFile()) throw new InvalidRequestError('not_a_file', param, `${path} is not a file`)
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return { size: info.size, head: buffer.subarray(0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error
    const missing = systemCode(error) === 'ENOENT'
    throw new InvalidRequestError('unreadable_file', param, `${path} ${missing ? 'does not exist' : 'cannot be read'}`)
  }
}
