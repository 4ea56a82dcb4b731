import { readFile } from 'node:fs/promises'
import {
  type Codec,
  type DiarizationEngine,
  EngineClosedError,
  type RecognitionEngine,
  type SpeechEngine,
  UndecodableAudioError,
  UnspeakableTextError,
} from '../src/index.ts'
import { cancellable, cancellableSource } from '../src/driver/index.ts'

const FORMAT = { sampleRate: 1000, channels: 1, bitDepth: 16 } as const

/** A speech engine that hums a tenth of a second for each word. It refuses a text without letters. */
export function scriptedSpeech(): SpeechEngine {
  let isClosed = false
  const traits = { timbre: 'robotic', pitchHz: 100, rangeSemitones: 0, syllablesPerSecond: 10 } as const
  return {
    name: 'scripted',
    voices: [
      { id: 'hum', name: 'Hum', language: 'en', traits },
      { id: 'fixed', name: 'Fixed', language: 'en' },
    ],
    async synthesize({ text, voiceId, manner, pauses = false, speed = 1, expectedDurationSeconds }, options = {}) {
      if (isClosed) throw new EngineClosedError('The scripted engine')
      if (voiceId !== 'hum' && voiceId !== 'fixed') throw new RangeError(`No voice has the id ${voiceId}`)
      if (voiceId === 'fixed' && manner !== undefined) throw new RangeError('The voice cannot be changed')
      if (!/\p{L}/u.test(text)) {
        throw new UnspeakableTextError('The input has no letters')
      }
      const parts = text.match(/\[pause [\d.]+s\]|[^\s[]+/g) ?? []
      const lengths = parts.map((part) =>
        pauses && part.startsWith('[') ? Number.parseFloat(part.slice(7)) : 0.1 / speed,
      )
      const whole = lengths.reduce((sum, seconds) => sum + seconds, 0)
      const factor = expectedDurationSeconds === undefined ? 1 : expectedDurationSeconds / whole
      const { signal, turns } = options
      const hum = (seconds: number) => new Uint8Array(2 * Math.round(seconds * factor * FORMAT.sampleRate)).fill(1)
      const chunks = cancellable([signal], async function* (stopped) {
        for (const seconds of lengths) {
          const work = () => Promise.resolve(hum(seconds))
          yield turns === undefined ? await work() : await turns(1, stopped, work)
        }
      })
      return { format: FORMAT, chunks }
    },
    async close() {
      isClosed = true
    },
  }
}

/** Listens to the end of PCM in 16 kHz, or to an abort or a close. */
function listener() {
  const closing = new AbortController()
  return {
    async listen(pcm: AsyncIterable<Uint8Array>, given?: AbortSignal): Promise<{ seconds: number; loud: number }> {
      const signal = AbortSignal.any([closing.signal, ...(given === undefined ? [] : [given])])
      let [bytes, loud] = [0, 0]
      for await (const chunk of cancellableSource(pcm, signal)) {
        bytes += chunk.length
        loud += chunk.filter((byte) => byte !== 0).length
      }
      return { seconds: bytes / 32_000, loud }
    },
    async close(): Promise<void> {
      closing.abort(new EngineClosedError('The scripted engine'))
    },
  }
}

/** A recognizer that hears the word `sound` in everything but silence. */
export function scriptedRecognition(): RecognitionEngine {
  const heard = listener()
  return {
    name: 'scripted',
    async recognize(pcm, { signal, onWords } = {}) {
      const { seconds, loud } = await heard.listen(pcm, signal)
      const words = loud === 0 ? [] : [{ word: 'sound', startSecond: 0, endSecond: seconds }]
      onWords?.(words)
      return { text: loud === 0 ? '' : 'sound', words, durationSeconds: seconds }
    },
    close: () => heard.close(),
  }
}

/** A recognizer that hears the segment `sound` in everything but silence, and knows no times of words. */
export function scriptedSegments(): RecognitionEngine {
  const heard = listener()
  return {
    name: 'scripted',
    languages: ['en', 'de'],
    async recognize(pcm, { signal, onSegment, language = 'en' } = {}) {
      const { seconds, loud } = await heard.listen(pcm, signal)
      const segments = loud === 0 ? [] : [{ text: 'sound', startSecond: 0, endSecond: seconds }]
      for (const segment of segments) onSegment?.(segment)
      return { text: loud === 0 ? '' : 'sound', words: [], segments, durationSeconds: seconds, language }
    },
    close: () => heard.close(),
  }
}

/** A diarizer that hears one speaker in everything but silence. */
export function scriptedDiarization(): DiarizationEngine {
  const heard = listener()
  return {
    name: 'scripted',
    async diarize(pcm, { signal } = {}) {
      const { seconds, loud } = await heard.listen(pcm, signal)
      const segments = loud === 0 ? [] : [{ startSecond: 0, endSecond: seconds, speaker: 'S01' }]
      return { segments, durationSeconds: seconds }
    },
    close: () => heard.close(),
  }
}

const HEADER_BYTES = 44

/** A codec that writes and reads its own WAV of 16 kHz. Metadata stands in a chunk behind the samples. */
export function scriptedCodec(): Codec {
  return {
    encode: (chunks, { signal, aigc = '' }) =>
      cancellable([signal], async function* () {
        const parts: Uint8Array[] = []
        for await (const chunk of chunks) parts.push(chunk)
        const pcm = Buffer.concat(parts)
        const header = Buffer.alloc(HEADER_BYTES)
        header.write('RIFF', 0, 'latin1')
        header.writeUInt32LE(HEADER_BYTES - 8 + pcm.length + aigc.length, 4)
        header.writeUInt32LE(pcm.length, 40)
        yield Buffer.concat([header, pcm, Buffer.from(aigc, 'latin1')])
      }),
    decode: (path, { signal } = {}) =>
      cancellable([signal], async function* () {
        const file = await readFile(path)
        if (file.toString('latin1', 0, 4) !== 'RIFF') throw new UndecodableAudioError('The file is not audio')
        yield file.subarray(HEADER_BYTES, HEADER_BYTES + file.readUInt32LE(40))
      }),
    close: async () => undefined,
  }
}
