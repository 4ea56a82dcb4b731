import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createCodec } from '../drivers/codec/create-codec.ts'
import { createDiarizer } from '../drivers/engines/diarizer/index.ts'
import { createFliteEngine, FLITE } from '../drivers/engines/flite/flite-engine.ts'
import { createFolderObjectStore } from '../drivers/folder/object-store.ts'
import { createPocketSphinxEngine } from '../drivers/engines/pocketsphinx/index.ts'
import { createKeyStore } from '../drivers/sqlite/key-store.ts'
import { DIARIZATION_SAMPLE_RATE } from '../ports/diarization-engine.ts'
import { RECOGNITION_SAMPLE_RATE } from '../ports/recognition-engine.ts'
import type { ServiceOptions } from '../service-options.ts'
import { freeBytes, isFolder } from '../drivers/folder/folders.ts'
import { checkFolder, nearestTo } from './data-folder.ts'
import type { Check, Finding } from './doctor.ts'
import { withDatabase } from './with-database.ts'

/** The least free space for a start. */
const LITTLE_BYTES = 1024 ** 3

const PHRASE = 'The train to the coast leaves at seven in the morning.'

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
    const count = await createKeyStore(database, apiKeys).count()
    if (count > 0) return { level: 'ok', text: `sound, ${count} API ${count === 1 ? 'key' : 'keys'}` }
    return { level: 'warn', text: 'intact, but without an API key: make one with keys create <tenant>' }
  })
}

async function checkCodec(): Promise<Finding> {
  const codec = await createCodec()
  const { launcher, program, version, formats, decodes, memoryBytes } = codec.describe
  await codec.close()
  const writes = `writes ${formats.join(', ')}`
  const memory =
    memoryBytes === undefined
      ? 'without a memory limit on this system'
      : `at most ${memoryBytes / 1024 ** 2} MB of memory`
  if (decodes) {
    return { level: 'ok', text: `${launcher} ffmpeg ${version ?? ''} (${program ?? ''}): ${writes}; ${memory}` }
  }
  const remedy = 'transcription needs ffmpeg on PATH, or the npm package @ffmpeg/core'
  return { level: 'warn', text: `no ffmpeg: ${writes} only; ${remedy}` }
}

/** Synthesizes a sentence. */
async function checkSpeech(): Promise<Finding> {
  const started = performance.now()
  const pcm = await speakPhrase()
  const seconds = pcm.length / (2 * RECOGNITION_SAMPLE_RATE)
  return { level: 'ok', text: `${FLITE.name} spoke ${seconds.toFixed(1)} s, in ${since(started)}` }
}

/** Recognizes the sentence, or silence when no speech engine works. */
async function checkRecognition({ dataDir }: ServiceOptions): Promise<Finding> {
  const pcm = await speakPhrase().catch(() => undefined)
  const started = performance.now()
  // The storage check has reported a missing folder.
  const cache = (await isFolder(dataDir)) ? { cacheDir: join(dataDir, 'cache') } : {}
  const engine = await createPocketSphinxEngine({ ...cache, workers: 1 })
  try {
    const { text } = await engine.recognize(only(pcm ?? new Uint8Array(RECOGNITION_SAMPLE_RATE)))
    const right = pcm === undefined ? text === '' : /train.*coast.*morning/.test(text)
    const heard = `${engine.name} heard ${JSON.stringify(text)}, in ${since(started)}`
    return { level: right ? 'ok' : 'fail', text: heard }
  } finally {
    await engine.close()
  }
}

/** Diarizes silence. */
async function checkDiarization(): Promise<Finding> {
  const started = performance.now()
  const engine = createDiarizer({ workers: 1 })
  try {
    const { segments } = await engine.diarize(only(new Uint8Array(2 * DIARIZATION_SAMPLE_RATE)))
    const found = `${engine.name} found ${segments.length} speakers in silence, in ${since(started)}`
    return { level: segments.length === 0 ? 'ok' : 'fail', text: found }
  } finally {
    await engine.close()
  }
}

async function speakPhrase(): Promise<Uint8Array> {
  const engine = await createFliteEngine({ workers: 1 })
  try {
    const { chunks } = await engine.synthesize({ text: PHRASE, voiceId: 'rms' })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts)
  } finally {
    await engine.close()
  }
}

async function* only(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  yield pcm
}

function since(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}
