import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import {
  createProviderRegistry,
  experimental_streamSpeech,
  experimental_streamTranscribe,
  generateSpeech,
  generateText,
  isStepCount,
  transcribe,
} from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSvcAudio, type SvcAudioProvider } from '../src/index.ts'
import { createSpeechTools, memoryAudioStore } from '../src/tools/index.ts'
import { readTexts, scriptedModel } from './support/scripted-model.ts'

const KEY = 'ai-sdk-key'
const TEXT = 'The train to the coast leaves at seven in the morning.'
const DIARIZING = 'svc-transcribe-diarize-pro'

/** Largest accepted share of wrong words. */
const WORST = 0.15

let folder: string
let service: RunningService
let svcAudio: SvcAudioProvider

beforeAll(async () => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-ai-sdk-'))
  service = await startService({ dataDir: folder, port: 0, apiKeys: new Map([[KEY, 'ai-sdk']]) })
  svcAudio = createSvcAudio({ apiKey: KEY, baseUrl: service.url, voice: 'rms' })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** Speaks the text. */
async function spoken(outputFormat: string): Promise<Uint8Array> {
  const { audio } = await generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: TEXT, outputFormat })
  return audio.uint8Array
}

describe('against the self-hosted service', () => {
  test.each(['mp3', 'wav', 'opus', 'flac', 'aac'])('speech as %s is transcribed to its text', async (format) => {
    const registry = createProviderRegistry({ svc: svcAudio })
    const model = registry.speechModel('svc:svc-tts-1.5-flash')
    const { audio } = await generateSpeech({ model, text: TEXT, outputFormat: format })
    const heard = await transcribe({
      model: registry.transcriptionModel('svc:svc-transcribe-1.0'),
      audio: audio.uint8Array,
    })
    expect(wordErrorRate(TEXT, heard.text)).toBeLessThanOrEqual(WORST)
  })

  test('a faster speech is shorter', async () => {
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: TEXT }
    const slow = await generateSpeech({ ...call, speed: 0.8 })
    const fast = await generateSpeech({ ...call, speed: 1.6 })
    expect(slow.warnings).toEqual([])
    expect(fast.audio.uint8Array.length).toBeLessThan(slow.audio.uint8Array.length * 0.7)
  })

  test('a designed voice speaks', async () => {
    const { audio } = await generateSpeech({
      model: svcAudio.speech('svc-voice-generator-1.0'),
      text: 'Hello.',
      instructions: 'a calm old man',
      outputFormat: 'wav',
    })
    expect(audio.mediaType).toBe('audio/wav')
  })

  test.each([false, true])('a diarized transcript has segments and a duration (as a task: %s)', async (async) => {
    const transcript = await transcribe({
      model: svcAudio.transcription(DIARIZING),
      audio: await spoken('wav'),
      providerOptions: { svcAudio: { async } },
    })
    expect(wordErrorRate(TEXT, transcript.text)).toBeLessThanOrEqual(WORST)
    expect(transcript.durationInSeconds).toBeGreaterThan(1)
    expect(transcript.segments[0]?.endSecond).toBeGreaterThan(1)
    expect(transcript.providerMetadata).toMatchObject({ svcAudio: { segments: [{ speaker: 'S01' }] } })
  })

  test('a streamed text is spoken, and the speech streams into a transcript', async () => {
    const speech = experimental_streamSpeech({
      model: svcAudio.speech('svc-tts-1.5-flash'),
      text: TEXT.split(/(?<= )/),
    })
    let rate = 0
    const samples: Uint8Array[] = []
    for await (const part of speech.fullStream) {
      if (part.type !== 'audio') continue
      rate = part.audioFormat.rate ?? 0
      samples.push(part.audio)
    }
    const heard = experimental_streamTranscribe({
      model: svcAudio.transcription(DIARIZING),
      audio: ReadableStream.from(samples),
      inputAudioFormat: { type: 'audio/pcm', rate },
    })
    let deltas = ''
    for await (const part of heard.fullStream) if (part.type === 'transcript-delta') deltas += part.delta
    const text = await heard.text
    expect(wordErrorRate(TEXT, text)).toBeLessThanOrEqual(WORST)
    expect(deltas.trim()).toBe(text.trim())
  })

  test('an agent speaks and transcribes what it spoke', async () => {
    const client = new AudioClient({ apiKey: KEY, baseUrl: service.url })
    const model = scriptedModel(
      [{ tool: 'speak', args: { text: TEXT } }],
      [
        {
          tool: 'transcribe',
          args: (prompt) => ({ audio: /Reference: (\S+)/.exec(readTexts(prompt)[0] ?? '')?.[1] }),
        },
      ],
    )
    const tools = createSpeechTools({ client, voice_id: 'rms', store: memoryAudioStore() })
    const { steps } = await generateText({ model, tools, prompt: 'Go.', stopWhen: isStepCount(5) })
    const output: unknown = steps[1]?.toolResults[0]?.output
    // The words stand between a line that calls them data and a line that ends them.
    const words = String(Reflect.get(Object(output), 'content')).split('\n').slice(1, -1).join(' ')
    expect(wordErrorRate(TEXT, words)).toBeLessThanOrEqual(WORST)
    await client.close()
  })
})
