/* The worker thread that recognizes one recording at a time. `ThreadRequest` has its messages. Any error ends it. */
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { RecognizedWord, SpeechDetector } from '@svc-audio/engine-ports'
import { stepThreadBack } from '@svc-audio/engine-ports/driver'
import { Aligner } from '../alignment/aligner.ts'
import { createPronounce, type Pronounce } from '../flite/program.ts'
import { loadRuntime } from '../onnx/runtime.ts'
import { loadSilero } from '../speech-detector/silero.ts'
import { decode } from './decode.ts'
import { Listener } from './listener.ts'
import { Moonshine } from './model.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './moonshine-engine.ts'
import { decodeWithTerms, spellTerms, termsOf } from './terms.ts'

/** Thrown in the middle of an aborted recording. */
class Cancelled extends Error {}

// Untyped by nature; only the engine starts this file.
const { moonshine, silero, pocketSphinx, runtime: choice }: ThreadData = workerData

/** The loudest sample. */
const FULL_SCALE = 32_768

let cancelled = false
let listener: Listener | undefined
let aligner: Promise<Aligner> | undefined
let pronounce: Promise<Pronounce> | undefined

function reply(message: ThreadReply): void {
  parentPort?.postMessage(message, [])
}

/** Lets a `cancel` arrive. */
async function pause(): Promise<void> {
  await turn()
  if (cancelled) throw new Cancelled()
}

/** Without flite, words that the dictionary lacks have no sound, and their utterances no times of words. */
function loadPronounce(): Promise<Pronounce> {
  pronounce ??= createPronounce().catch(() => () => [])
  return pronounce
}

/**
 * Silence before and after an utterance, in samples: 0.2 s and 0.5 s. A recording may begin in the middle of a sound. The
 * model hears other words with other silence: of 30 short sentences of three voices it hears each with these, and two to
 * six wrong with any of eight other pairs from 0.15 s to 0.5 s, e.g. "Hello there" as "A load there".
 */
const BEFORE = 3200
const AFTER = 8000

function padded(samples: Int16Array): Float32Array {
  const whole = new Float32Array(BEFORE + samples.length + AFTER)
  for (const [index, sample] of samples.entries()) whole[BEFORE + index] = sample / FULL_SCALE
  return whole
}

/** Makes what recognizes an utterance. */
function recognizer(model: Moonshine, keyterms: readonly string[]): (samples: Int16Array) => Promise<string> {
  const terms = keyterms.length === 0 ? undefined : termsOf(keyterms, model.tokens)
  return async (samples) => {
    await pause()
    const hearing = await model.hear(padded(samples))
    await pause()
    const { tokens } = terms === undefined ? await decode(hearing, pause) : await decodeWithTerms(hearing, terms, pause)
    return spellTerms(model.tokens.decode(tokens), keyterms)
  }
}

async function align(samples: Int16Array, text: string): Promise<readonly RecognizedWord[] | undefined> {
  if (pocketSphinx === undefined) return undefined
  aligner ??= Aligner.load(pocketSphinx)
  return (await aligner).align(samples, text, { pronounce: await loadPronounce(), pause })
}

function begin({ model, detector }: Loaded, keyterms: readonly string[]): void {
  listener = new Listener({
    detector,
    recognize: recognizer(model, keyterms),
    align,
    onHeard: (heard) => reply({ type: 'heard', heard }),
  })
}

async function handle(loaded: Loaded, request: ThreadRequest): Promise<void> {
  switch (request.type) {
    case 'begin':
      return begin(loaded, request.keyterms)
    case 'samples':
      if (request.background === true) stepThreadBack()
      await listener?.push(request.samples)
      return reply({ type: 'consumed' })
    case 'end':
      if (listener !== undefined) reply({ type: 'result', result: await listener.end() })
      return
    case 'cancel':
      cancelled = false
      return reply({ type: 'cancelled' })
  }
}

async function handleUnlessCancelled(loaded: Loaded, request: ThreadRequest): Promise<void> {
  // Skips messages before the `cancel` until it arrives.
  if (cancelled && request.type !== 'cancel') return
  try {
    await handle(loaded, request)
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
  }
}

/** The graphs of this thread. */
interface Loaded {
  readonly model: Moonshine
  readonly detector: SpeechDetector
}

async function load(): Promise<Loaded> {
  const runtime = await loadRuntime(choice)
  const openDetector = await loadSilero(runtime, silero)
  return { model: await Moonshine.load(runtime, moonshine), detector: openDetector() }
}

// Requests wait in the port until the listener exists.
const loaded = await load()
let work = Promise.resolve()
parentPort?.on('message', (request: ThreadRequest) => {
  if (request.type === 'cancel') cancelled = true
  work = work.then(() => handleUnlessCancelled(loaded, request))
})
