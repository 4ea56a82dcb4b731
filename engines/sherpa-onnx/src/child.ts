// The process of one model. sherpa-onnx ends its process when a model is broken, so it has one of its own.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type sherpaOnnx from 'sherpa-onnx-node'
import { FAMILIES, isSpeakerFamily, isSpeechFamily } from './families.ts'
import { groupEmbeddings } from './group-embeddings.ts'
import {
  type LoadedModel,
  MAX_SECONDS,
  type ModelSettings,
  punctuationConfig,
  recognitionConfig,
  type Reply,
  type Request,
  speakerConfig,
  speechConfig,
  VAD_WINDOW,
  vadConfig,
  type Work,
} from './native-config.ts'

const SAMPLE_RATE = 16_000

/** A model that listens makes no sound and has no speakers. */
const LISTENER: LoadedModel = { sampleRate: 0, speakers: 0 }

type Sherpa = typeof sherpaOnnx
type Tts = InstanceType<Sherpa['OfflineTts']>

/** A piece of work of one type. */
type Piece<Type extends Work['type']> = Extract<Work, { readonly type: Type }>

/** Does the work of a model. It returns nothing for work that the model cannot do. */
type Worker = (work: Work) => Reply | Promise<Reply> | undefined

let worker: Worker | undefined

process.on('message', (request: Request) => {
  void respond(request).then((reply) => process.send?.(reply))
})
// Nobody reads the responses any more.
process.on('disconnect', () => process.exit())

async function respond(request: Request): Promise<Reply> {
  try {
    if ('load' in request) return await load(request.load)
    return (await worker?.(request)) ?? { failure: `the model has no work of the type ${request.type}` }
  } catch (error) {
    return { failure: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const missing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return missing ? 'The package sherpa-onnx-node is missing: run npm install sherpa-onnx-node' : error.message
}

async function load(settings: ModelSettings): Promise<Reply> {
  const sherpa = await importSherpa(settings.runtimeFolder)
  if (isSpeechFamily(settings.family)) {
    const tts = new sherpa.OfflineTts(speechConfig(settings))
    const { steps } = FAMILIES[settings.family]
    worker = (work) => (work.type === 'speak' ? speak(sherpa, tts, work, steps) : undefined)
    return { loaded: { sampleRate: tts.sampleRate, speakers: Math.max(1, tts.numSpeakers) } }
  }
  const find = finding(sherpa, settings)
  const listen = isSpeakerFamily(settings.family) ? telling(sherpa, settings) : hearing(sherpa, settings)
  worker = (work) => (work.type === 'find' ? find?.(work) : listen(work))
  return { loaded: LISTENER }
}

/** Imports sherpa-onnx-node from beside this package, else from beside the file of engines. */
async function importSherpa(folder: string | undefined): Promise<Sherpa> {
  try {
    return (await import('sherpa-onnx-node')).default
  } catch (error) {
    const path = folder === undefined ? undefined : resolveIn(folder)
    if (path === undefined) throw error
    const loaded: { readonly default: Sherpa } = await import(pathToFileURL(path).href)
    return loaded.default
  }
}

function resolveIn(folder: string): string | undefined {
  try {
    return createRequire(join(folder, 'engines.js')).resolve('sherpa-onnx-node')
  } catch {
    return undefined
  }
}

/** @param steps Steps of a voice that is computed in steps. */
function speak(sherpa: Sherpa, tts: Tts, work: Piece<'speak'>, steps: number | undefined): Reply {
  const { text, speaker, language, reference, referenceText } = work
  // The engine changes the speed itself.
  const speed = 1
  if (steps === undefined) {
    return { spoken: toSixteenBits(tts.generate({ text, sid: speaker, speed, enableExternalBuffer: false }).samples) }
  }
  const wave = reference === undefined ? undefined : sherpa.readWave(reference, false)
  const generationConfig = {
    sid: speaker,
    speed,
    numSteps: steps,
    extra: { lang: language },
    ...(wave !== undefined && { referenceAudio: wave.samples, referenceSampleRate: wave.sampleRate }),
    ...(referenceText !== undefined && { referenceText }),
  }
  return { spoken: toSixteenBits(tts.generate({ text, generationConfig, enableExternalBuffer: false }).samples) }
}

function hearing(sherpa: Sherpa, settings: ModelSettings): Worker {
  const recognizer = new sherpa.OfflineRecognizer(recognitionConfig(settings))
  const punctuate = punctuating(sherpa, settings)
  const { by } = FAMILIES[settings.family].language ?? {}
  let current = settings.language
  return (work) => {
    if (work.type !== 'hear') return undefined
    const { language = settings.language } = work
    if (by === 'configuration' && language !== current) {
      recognizer.setConfig(recognitionConfig({ ...settings, language }))
      current = language
    }
    const stream = recognizer.createStream()
    if (by === 'utterance' && language !== undefined) stream.setOption('language', language)
    stream.acceptWaveform({ samples: toFloats(work.samples), sampleRate: SAMPLE_RATE })
    recognizer.decode(stream)
    const { text, tokens, timestamps, lang } = recognizer.getResult(stream)
    return { heard: { text, tokens, timestamps, lang, punctuated: punctuate?.(text.trim()) } }
  }
}

function punctuating(sherpa: Sherpa, settings: ModelSettings): ((text: string) => string) | undefined {
  const { punctuation } = settings
  if (punctuation === undefined) return undefined
  const config = punctuationConfig(punctuation, settings)
  const writer =
    punctuation.vocabulary === undefined ? new sherpa.OfflinePunctuation(config) : new sherpa.OnlinePunctuation(config)
  // Recognizers that write capitals alone say nothing by them, and the models know small letters.
  return (text) => (text === '' ? '' : writer.addPunct(text === text.toUpperCase() ? text.toLowerCase() : text))
}

function finding(sherpa: Sherpa, settings: ModelSettings): ((work: Piece<'find'>) => Reply) | undefined {
  const { vad } = settings
  if (vad === undefined) return undefined
  const detector = new sherpa.Vad(vadConfig(vad, settings), 2 * MAX_SECONDS)
  return ({ samples }) => {
    const spans = []
    const wave = toFloats(samples)
    // Speech in one window counts for all that are given in the same call.
    const step = VAD_WINDOW[vad.kind]
    for (let at = 0; at < wave.length; at += step) detector.acceptWaveform(wave.subarray(at, at + step))
    detector.flush()
    for (; !detector.isEmpty(); detector.pop()) {
      const { start, samples: found } = detector.front(false)
      spans.push({ start, end: Math.min(start + found.length, samples.length) })
    }
    detector.reset()
    return { spans }
  }
}

function telling(sherpa: Sherpa, settings: ModelSettings): Worker {
  const extractor = new sherpa.SpeakerEmbeddingExtractor(speakerConfig(settings))
  return (work) => {
    if (work.type === 'group') return { speakers: groupEmbeddings(work.embeddings, work.seconds, work.similarity) }
    if (work.type !== 'embed') return undefined
    const stream = extractor.createStream()
    stream.acceptWaveform({ samples: toFloats(work.samples), sampleRate: SAMPLE_RATE })
    stream.inputFinished()
    return { embedding: extractor.isReady(stream) ? extractor.compute(stream, false) : undefined }
  }
}

function toFloats(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768)
}

function toSixteenBits(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767))
}
