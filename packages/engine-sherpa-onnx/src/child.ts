// The process of one model. sherpa-onnx ends its process when a model is broken, so it has one of its own.
import { type ModelSettings, recognitionConfig, speaks, speechConfig } from './native-config.ts'
import type { Reply, Request, Work } from './protocol.ts'

const SAMPLE_RATE = 16_000

type Worker = (work: Work) => Reply

let worker: Worker | undefined

process.on('message', (request: Request) => {
  void answer(request).then((reply) => process.send?.(reply))
})
// Nobody reads the answers any more.
process.on('disconnect', () => process.exit())

async function answer(request: Request): Promise<Reply> {
  try {
    if ('load' in request) return await load(request.load)
    return worker?.(request) ?? { failure: 'no model is loaded' }
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
  const { default: sherpa } = await import('sherpa-onnx-node')
  if (speaks(settings)) {
    const tts = new sherpa.OfflineTts(speechConfig(settings))
    worker = (work) => {
      if (work.type !== 'speak') return { failure: 'the model is no recognizer' }
      const { text, speaker, speed } = work
      const { samples } = tts.generate({ text, sid: speaker, speed, enableExternalBuffer: false })
      return { spoken: toSixteenBits(samples) }
    }
    return { loaded: { sampleRate: tts.sampleRate, speakers: Math.max(1, tts.numSpeakers) } }
  }
  const recognizer = new sherpa.OfflineRecognizer(recognitionConfig(settings))
  let current = settings.language
  worker = (work) => {
    if (work.type !== 'hear') return { failure: 'the model is no voice' }
    // Only Whisper takes another language while it is loaded.
    const { language = settings.language } = work
    if (settings.family === 'whisper' && language !== current) {
      recognizer.setConfig(recognitionConfig({ ...settings, language }))
      current = language
    }
    const stream = recognizer.createStream()
    const samples = Float32Array.from(work.samples, (sample) => sample / 32_768)
    stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE })
    recognizer.decode(stream)
    const { text, tokens, timestamps, lang } = recognizer.getResult(stream)
    return { heard: { text, tokens, timestamps, lang } }
  }
  return { loaded: { sampleRate: 0, speakers: 0 } }
}

function toSixteenBits(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767))
}
