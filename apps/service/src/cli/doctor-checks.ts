import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createCodec } from '../drivers/codec/create-codec.ts'
import type { CodecDescription } from '../drivers/codec/launcher.ts'
import { type CodecNote, freeBytes, readCodecNote } from '../drivers/folder/folders.ts'
import { createFolderObjectStore } from '../drivers/folder/object-store.ts'
import { isServed } from '../drivers/sqlite/data-folder.ts'
import { openWriter } from '../drivers/sqlite/database.ts'
import { shareSqlite } from '../drivers/sqlite/service-database.ts'
import { createKeyStore } from '../drivers/sql/key-store.ts'
import type { ServiceOptions } from '../service-options.ts'
import { checkFolder, nearestTo } from './data-folder.ts'
import type { Check, Finding } from './doctor-check.ts'
import { checkDiarization, checkRecognition, checkSpeech } from './doctor-engines.ts'
import { withDatabase } from './with-stores.ts'

/** The least free space for a start. */
const LITTLE_BYTES = 1024 ** 3

/** Every check. Later checks build on earlier ones. */
export const CHECKS: readonly Check[] = [
  { name: 'storage', run: checkStorage },
  { name: 'free space', run: checkSpace },
  { name: 'database', run: checkDatabase },
  { name: 'codec', run: checkCodec },
  { name: 'speech', run: checkSpeech },
  { name: 'recognition', run: checkRecognition },
  { name: 'diarization', run: checkDiarization },
]

/** Stores and removes an object, synced as the service's own objects are. Does not make a missing folder. */
async function checkStorage({ dataDir }: ServiceOptions): Promise<Finding> {
  if (!(await checkFolder(dataDir))) {
    return { level: 'warn', text: `${dataDir} is missing: the first start makes it, unless --data-dir is mistyped` }
  }
  const folder = join(dataDir, `doctor-${process.pid}`)
  try {
    const store = await createFolderObjectStore(folder)
    const started = performance.now()
    await store.put('probe', oneMegabyte())
    const milliseconds = Math.round(performance.now() - started)
    // Not every disk has the locks and the shared memory of a database with a write-ahead log.
    openWriter(join(folder, 'probe.sqlite')).close()
    return { level: 'ok', text: `${dataDir} is writable: 1 MB stored and synced in ${milliseconds} ms` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* oneMegabyte(): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(1024 * 1024)
}

async function checkSpace({ dataDir }: ServiceOptions): Promise<Finding> {
  const free = await freeBytes(await nearestTo(dataDir))
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free`
  if (free >= LITTLE_BYTES) return { level: 'ok', text }
  return { level: 'warn', text: `${text}: on a full disk requests get 503; free space, or shorten the lifetimes` }
}

/** Counts keys of the environment too. */
async function checkDatabase({ dataDir, apiKeys = new Map() }: ServiceOptions): Promise<Finding> {
  return withDatabase(dataDir, async (database) => {
    const { rows } = await sql<{ quick_check: string }>`PRAGMA quick_check`.execute(database)
    const broken = rows.find(({ quick_check: said }) => said !== 'ok')
    if (broken !== undefined) return { level: 'fail', text: `damaged: ${broken.quick_check}` }
    const count = await createKeyStore(shareSqlite(database), apiKeys).count()
    if (count > 0) return { level: 'ok', text: `sound, ${count} API ${count === 1 ? 'key' : 'keys'}` }
    return { level: 'warn', text: 'intact, but without an API key: make one with keys create <tenant>' }
  })
}

async function checkCodec({ dataDir }: ServiceOptions): Promise<Finding> {
  const codec = await createCodec()
  const description = codec.describe
  await codec.close()
  const text = describe(description)
  const served = isServed(dataDir) ? await readCodecNote(dataDir) : undefined
  if (served !== undefined && (served.launcher !== description.launcher || served.version !== description.version)) {
    const remedy = 'it looks for a new ffmpeg every minute, on its own PATH'
    return { level: 'warn', text: `the running service uses ${nameOf(served)}; ${remedy}. Here: ${text}` }
  }
  return { level: description.decodes ? 'ok' : 'warn', text }
}

function describe(description: CodecDescription): string {
  const { program = '', formats, decodes, memoryBytes } = description
  const writes = `writes ${formats.join(', ')}`
  if (!decodes) {
    return `no ffmpeg: ${writes} only; transcription needs ffmpeg on PATH, or the npm package @ffmpeg/core`
  }
  const memory =
    memoryBytes === undefined
      ? 'without a memory limit on this system'
      : `at most ${memoryBytes / 1024 ** 2} MB of memory`
  return `${nameOf(description)} (${program}): ${writes}; ${memory}`
}

function nameOf({ launcher, version = '' }: CodecNote): string {
  return launcher === 'none' ? 'no ffmpeg' : `${launcher} ffmpeg ${version}`
}
