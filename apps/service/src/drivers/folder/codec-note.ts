import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** What a running service uses as its codec. */
const CodecNote = z.object({ launcher: z.enum(['system', 'wasm', 'none']), version: z.string().optional() })

/** What a running service uses as its codec. */
export type CodecNote = z.infer<typeof CodecNote>

const pathOf = (dataDir: string): string => join(dataDir, 'cache', 'codec.json')

/** Stores which codec the service on this folder uses, for `doctor`. A folder that cannot be written stays as it is. */
export async function writeCodecNote(dataDir: string, { launcher, version }: CodecNote): Promise<void> {
  try {
    await mkdir(join(dataDir, 'cache'), { recursive: true, mode: 0o700 })
    await writeFile(pathOf(dataDir), `${JSON.stringify({ launcher, version })}\n`, { mode: 0o600 })
  } catch {
    // A full disk must not stop the service.
  }
}

/** Reads which codec the last service on this folder used. @returns `undefined` without a readable note */
export async function readCodecNote(dataDir: string): Promise<CodecNote | undefined> {
  try {
    return CodecNote.parse(JSON.parse(await readFile(pathOf(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}
