/* The worker thread that recognizes one recording at a time. `ThreadRequest` has its messages. Any error ends it. */
import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

import type { RecognizedWord } from '@svc-audio/engine-ports'
import { createPronounce, type Pronounce } from '../flite/program.ts'
import { Decoder, readModelFiles } from './decoder.ts'
import { modelWithKeyterms, spellKeyterms } from './keyterms.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './pocketsphinx-engine.ts'
import { Transcriber } from './transcriber.ts'
import { compileWasm, stepThreadBack } from '@svc-audio/engine-ports/driver'

/** Thrown in the middle of an aborted recording. */
class Cancelled extends Error {}

// Untyped by nature; only the engine starts this file.
const { files, memoryBytes }: ThreadData = workerData

let cancelled = false
let transcriber: Transcriber | undefined
let pronounce: Pronounce | undefined

function reply(message: ThreadReply): void {
  parentPort?.postMessage(message, [])
}

function tell(words: readonly RecognizedWord[]): void {
  reply({ type: 'heard', words })
}

/** Lets a `cancel` arrive. */
async function pause(): Promise<void> {
  await turn()
  if (cancelled) throw new Cancelled()
}

/** A transcriber resets the decoder, so the keyterms come after it. */
async function begin(decoder: Decoder, keyterms: readonly string[]): Promise<void> {
  transcriber = new Transcriber(decoder, { pause, onWords: tell, spell: (words) => spellKeyterms(words, keyterms) })
  if (keyterms.length === 0) return
  pronounce ??= await createPronounce()
  const model = await modelWithKeyterms(readModelFiles(files.model), keyterms, { pronounce, pause })
  if (model !== undefined) decoder.load(model)
}

async function handle(decoder: Decoder, request: ThreadRequest): Promise<void> {
  switch (request.type) {
    case 'begin':
      return begin(decoder, request.keyterms)
    case 'samples':
      if (request.background === true) stepThreadBack()
      await transcriber?.push(request.samples)
      return reply({ type: 'consumed' })
    case 'end':
      if (transcriber !== undefined) reply({ type: 'result', result: await transcriber.end() })
      return
    case 'cancel':
      cancelled = false
      return reply({ type: 'cancelled' })
  }
}

async function handleUnlessCancelled(decoder: Decoder, request: ThreadRequest): Promise<void> {
  // Skips messages before the `cancel` until it arrives.
  if (cancelled && request.type !== 'cancel') return
  try {
    await handle(decoder, request)
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
  }
}

async function load(): Promise<Decoder> {
  const glue = readFileSync(files.glue, 'utf8')
  const module = await compileWasm(readFileSync(files.wasm))
  return Decoder.load({ glue, module, memoryBytes, files: readModelFiles(files.model) })
}

// Requests wait in the port until the listener exists.
const decoder = await load()
let work = Promise.resolve()
parentPort?.on('message', (request: ThreadRequest) => {
  if (request.type === 'cancel') cancelled = true
  work = work.then(() => handleUnlessCancelled(decoder, request))
})
