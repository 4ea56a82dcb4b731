import { open } from 'node:fs/promises'
import { wavHeader } from '@svc-audio/core/audio'

/**
 * Makes a WAV file of silence, `size` bytes in all. The silence is a hole in the file: it takes no disk space and reads
 * as fast as memory.
 */
export async function makeWavFile(path: string, size: number): Promise<void> {
  const header = wavHeader({ sampleRate: 48_000, channels: 2, bitDepth: 16 }, size - 44)
  const file = await open(path, 'wx')
  try {
    await file.write(header)
    await file.truncate(size)
  } finally {
    await file.close()
  }
}
