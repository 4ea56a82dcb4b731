import { join } from 'node:path'
import {
  DIARIZATION_SAMPLE_RATE,
  type DriverOptions,
  type EngineDrivers,
  type EngineParts,
  RECOGNITION_SAMPLE_RATE,
} from '@svc-audio/engine-ports'
import { bundledEngines, chosenRuntime, hasJoe } from '@svc-audio/engines'
import { isFolder } from '../drivers/folder/folders.ts'
import type { ServiceOptions } from '../service-options.ts'
import type { Finding } from './doctor-check.ts'

/** What runs the graphs of the bundled engines, for people. */
const RUNTIMES = { node: 'onnxruntime-node', web: 'WebAssembly' } as const

/** The engines of a service. */
type EngineChoice = Pick<ServiceOptions, 'engines' | 'onnxRuntime'>

const PHRASE = 'The train to the coast leaves at seven in the morning.'

/** Synthesizes a sentence with the engine's first voice. */
export function checkSpeech(options: EngineChoice): Promise<Finding> {
  return withDrivers(options, async (drivers) => {
    const started = performance.now()
    const { seconds } = await speakPhrase(drivers, drivers.speech.voices[0]?.id)
    const text = `${drivers.speech.name}${runsOn(options, 'speech')} spoke ${seconds.toFixed(1)} s, in ${since(started)}`
    return { level: seconds > 0 ? 'ok' : 'fail', text }
  })
}

/** Recognizes the sentence, or silence when the speech engine does not work or makes another kind of PCM. */
export function checkRecognition(options: EngineChoice & Pick<ServiceOptions, 'dataDir'>): Promise<Finding> {
  const { dataDir } = options
  return withDrivers(options, async (drivers) => {
    const spoken = await speakPhrase(drivers).catch(() => undefined)
    const pcm = spoken?.isRecognizable === true ? spoken.pcm : undefined
    const started = performance.now()
    // The storage check has reported a missing folder.
    const cache = (await isFolder(dataDir)) ? { cacheDir: join(dataDir, 'cache') } : {}
    const engine = await drivers.recognition.create({ ...alone(), ...cache })
    try {
      const { text } = await engine.recognize(only(pcm ?? new Uint8Array(RECOGNITION_SAMPLE_RATE)))
      const right = pcm === undefined ? text === '' : /train.*coast.*morning/i.test(text)
      const heard = `${engine.name}${runsOn(options, 'recognition')} heard ${JSON.stringify(text)}, in ${since(started)}`
      return { level: right ? 'ok' : 'fail', text: heard }
    } finally {
      await engine.close()
    }
  })
}

/** Diarizes silence. */
export function checkDiarization(options: EngineChoice): Promise<Finding> {
  return withDrivers(options, async (drivers) => {
    const started = performance.now()
    const engine = await drivers.diarization.create(alone())
    try {
      const { segments } = await engine.diarize(only(new Uint8Array(2 * DIARIZATION_SAMPLE_RATE)))
      const found = `${engine.name}${runsOn(options, 'diarization')} found ${segments.length} speakers in silence, in ${since(started)}`
      return { level: segments.length === 0 ? 'ok' : 'fail', text: found }
    } finally {
      await engine.close()
    }
  })
}

/** Says what runs the graphs of a bundled engine. */
function runsOn({ engines, onnxRuntime }: EngineChoice, port: keyof EngineParts): string {
  const hasGraphs = engines?.[port] === undefined && (port !== 'speech' || hasJoe())
  return hasGraphs ? ` on ${RUNTIMES[chosenRuntime(onnxRuntime)]}` : ''
}

async function withDrivers(
  { engines, onnxRuntime: runtime }: EngineChoice,
  use: (drivers: EngineDrivers) => Promise<Finding>,
): Promise<Finding> {
  const drivers = { ...bundledEngines({ runtime }), ...engines }
  try {
    return await use(drivers)
  } finally {
    await drivers.close()
  }
}

function alone(): DriverOptions {
  return { signal: new AbortController().signal, workers: 1 }
}

/** Speech of the phrase. */
interface SpokenPhrase {
  readonly pcm: Uint8Array
  readonly seconds: number
  /** Whether a recognizer reads this PCM as it is. */
  readonly isRecognizable: boolean
}

/** @param voice Id of a voice. @default the one that a probe uses */
async function speakPhrase({ speech }: EngineDrivers, voice?: string): Promise<SpokenPhrase> {
  const engine = await speech.create(alone())
  try {
    const voiceId = voice ?? engine.probeVoiceId ?? engine.voices[0]?.id
    if (voiceId === undefined) throw new Error(`${engine.name} has no voice`)
    const { format, chunks } = await engine.synthesize({ text: PHRASE, voiceId })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    const pcm = Buffer.concat(parts)
    const { sampleRate, channels, bitDepth } = format
    const isRecognizable = sampleRate === RECOGNITION_SAMPLE_RATE && channels === 1 && bitDepth === 16
    return { pcm, seconds: pcm.length / ((sampleRate * channels * bitDepth) / 8), isRecognizable }
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
