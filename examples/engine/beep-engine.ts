import { atOnce, EngineClosedError, type SpeechDriver, UnspeakableTextError } from '@svc-audio/engine-ports'
import { cancellable } from '@svc-audio/engine-ports/driver'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 } as const
const BEEP_SECONDS = 0.1

/** Milliseconds of processor time for a letter. */
const LETTER_COST = 0.01

/** A beep, or silence. */
function sound(hertz: number, seconds: number): Uint8Array {
  const samples = Int16Array.from(
    { length: Math.round(seconds * FORMAT.sampleRate) },
    (_, index) => 8000 * Math.sin((2 * Math.PI * hertz * index) / FORMAT.sampleRate),
  )
  return new Uint8Array(samples.buffer)
}

/** The letters of a text, and its pauses in seconds. */
function partsOf(text: string, pauses: boolean): (string | number)[] {
  const found: (string | number)[] = []
  const pattern = pauses ? /\[pause (\d+(?:\.\d+)?)s\]|\p{L}/gu : /\p{L}/gu
  for (const [part, seconds] of text.matchAll(pattern)) found.push(seconds === undefined ? part : Number(seconds))
  return found
}

/** A speech engine that beeps once for each letter. */
export const BEEPER: SpeechDriver = {
  name: 'beeper',
  voices: [{ id: 'beep', name: 'Beep', language: 'en' }],
  async create() {
    let isClosed = false
    return {
      name: BEEPER.name,
      voices: BEEPER.voices,
      async synthesize({ text, voiceId, manner, pauses = false, speed = 1, expectedDurationSeconds }, options = {}) {
        if (isClosed) throw new EngineClosedError('The beeper')
        if (voiceId !== 'beep') throw new RangeError(`The beeper has no voice ${JSON.stringify(voiceId)}`)
        if (manner !== undefined) throw new RangeError('The voice beep cannot be changed')
        const parts = partsOf(text, pauses)
        const letters = parts.filter((part) => typeof part === 'string').length
        if (letters === 0) throw new UnspeakableTextError('The input has no letters')
        const beep = expectedDurationSeconds === undefined ? BEEP_SECONDS / speed : expectedDurationSeconds / letters
        const { signal, turns = atOnce } = options
        const chunks = cancellable([signal], async function* (stopped) {
          for (const part of parts) {
            const [hertz, seconds] = typeof part === 'number' ? [0, part] : [400 + (part.codePointAt(0) ?? 0), beep]
            yield await turns(LETTER_COST, stopped, () => Promise.resolve(sound(hertz, seconds)))
          }
        })
        return { format: FORMAT, chunks }
      },
      async close() {
        isClosed = true
      },
    }
  },
}
