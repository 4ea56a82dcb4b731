import { happy, json } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { transcribeStage, type TranscribeStageOptions, type VoiceEvent } from '../src/voice/index.ts'
import { VoiceConversation } from '../src/voice/index.ts'
import { startUpstream, type Upstream } from './support/upstream.ts'
import { microphone, pipeline, ScriptedAgent } from './support/voice.ts'

const TRANSCRIPTION = 'POST /v1/audio/transcriptions'
const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** A recognizer that writes words for everything. */
const upstreamOfWords = (): Promise<Upstream> =>
  startUpstream((exchange) => (exchange.request.route === TRANSCRIPTION ? json({ text: 'the the' }) : happy(exchange)))

const record = (seconds: number, wave: (second: number) => number): Uint8Array =>
  new Uint8Array(Int16Array.from({ length: seconds * 16_000 }, (_, index) => wave(index / 16_000) * 0x7f_ff).buffer)

/** A tune of sine tones. */
const tune = (seconds: number): Uint8Array =>
  record(seconds, (second) => {
    const note = Math.floor(second / 0.3)
    return Math.sin(2 * Math.PI * (330 + 40 * ((note * 3) % 5)) * second) * 0.3
  })

/** Changes in each of its short sounds, as speech does. */
const words = (seconds: number): Uint8Array =>
  record(seconds, (second) => {
    const sound = Math.floor(second / 0.07)
    const hertz = 150 * (1 + ((sound * 7) % 11))
    return (Math.sin(2 * Math.PI * hertz * second) + Math.sin(2 * Math.PI * (hertz * 1.7 + 90) * second)) * 0.2
  })

const transcriptions = ({ requests }: Upstream): number =>
  requests.filter(({ route }) => route === TRANSCRIPTION).length

const verdicts = (events: readonly VoiceEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => /^(?:stt|user_noise|paused|resumed|interrupted)/.test(type))

/** Asks, makes a sound into the answer, and reads to the end. */
async function interject(
  upstream: Upstream,
  sound: Uint8Array,
  transcribe: Omit<TranscribeStageOptions, 'client' | 'conversation' | 'signal'> = {},
): Promise<VoiceEvent[]> {
  const agent = new ScriptedAgent(async (say) => say('One is heard. Two is heard. Three is heard.'))
  const conversation = new VoiceConversation()
  const mic = microphone()
  mic.say(words(1))
  const events: VoiceEvent[] = []
  let isMade = false
  const options = { conversation, transcribe: { format: FORMAT, ...transcribe } }
  for await (const event of pipeline(upstream, agent, mic.stream, options)) {
    events.push(event)
    if (event.type === 'tts_sentence' && event.text.startsWith('Two') && !isMade) {
      isMade = true
      mic.say(sound)
    }
    if (event.type === 'turn_end') mic.hangUp()
  }
  return events
}

describe('a melody for which the recognizer would write words', () => {
  test('pauses the answer, which continues, and is not transcribed', async () => {
    const upstream = await upstreamOfWords()
    const events = await interject(upstream, tune(1.8))
    expect(verdicts(events)).toEqual(['stt_output', 'paused', 'user_noise', 'resumed'])
    expect(transcriptions(upstream)).toBe(1)
  })

  test('of many seconds lets the answer continue after checkSeconds', async () => {
    const upstream = await upstreamOfWords()
    const events = await interject(upstream, tune(3))
    expect(verdicts(events)).toEqual(['stt_output', 'paused', 'user_noise', 'resumed', 'user_noise'])
    expect(transcriptions(upstream)).toBe(1)
  })

  test('begins no turn where no answer is spoken', async () => {
    const upstream = await upstreamOfWords()
    const events: VoiceEvent[] = []
    const stage = transcribeStage(ReadableStream.from([tune(1.8)]), { client: upstream.client, format: FORMAT })
    for await (const event of stage) events.push(event)
    expect(events).toMatchObject([{ type: 'user_input' }, { type: 'user_noise', transcript: '' }])
    expect(transcriptions(upstream)).toBe(0)
  })

  test('ends the answer with `ignoreMelodies: false`, and where the utterances are files', async () => {
    const upstream = await upstreamOfWords()
    expect(verdicts(await interject(upstream, tune(1.8), { ignoreMelodies: false }))).toContain('interrupted')
    const events: VoiceEvent[] = []
    for await (const event of transcribeStage(ReadableStream.from([tune(1.8)]), { client: upstream.client }))
      events.push(event)
    expect(verdicts(events)).toEqual(['stt_output'])
  })
})

test('words behind a melody in the same utterance end the answer', async () => {
  const upstream = await upstreamOfWords()
  const events = await interject(upstream, Buffer.concat([tune(1.5), words(1)]))
  expect(verdicts(events)).toEqual(['stt_output', 'paused', 'interrupted', 'stt_output'])
})

test('words are transcribed as soon as they end', async () => {
  const upstream = await upstreamOfWords()
  const events = await interject(upstream, words(1))
  expect(verdicts(events)).toEqual(['stt_output', 'paused', 'interrupted', 'stt_output'])
})

test.each<[message: string, options: object]>([
  ['ignoreMelodies', { ignoreMelodies: 'no', format: FORMAT }],
  ['`ignoreMelodies` needs a `format` of 16-bit mono', { ignoreMelodies: true }],
  ['`ignoreMelodies` needs a `format` of 16-bit mono', { ignoreMelodies: true, format: { ...FORMAT, channels: 2 } }],
])('a wrong option is refused at once: %s', async (message, options) => {
  const { client } = await startUpstream()
  expect(() => transcribeStage(new ReadableStream<never>(), { client, ...options })).toThrow(message)
})
