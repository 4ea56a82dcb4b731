import { encodeWav } from '@svc-audio/core/audio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noSpeech } from '@svc-audio/kit/engine-fixtures/no-speech.ts'
import { signal } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { startTestService, type TestService } from './support/test-service.ts'

const SECONDS = 5
const KEYTERMS = ['Zorblax', 'Norvik', 'New York', 'Okvanda Brimholt']

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

function recording(value: (second: number) => number): { readonly data: Uint8Array; readonly name: string } {
  const samples = signal(SECONDS, value)
  const pcm = new Uint8Array(samples.buffer)
  return { data: encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [pcm]), name: 'recording.wav' }
}

describe('sound without speech has no text', { timeout: 60_000 }, () => {
  test.each(noSpeech())('$name, with either model, with and without keyterms', async ({ value }) => {
    const { transcriptions } = service.audio
    const file = recording(value)
    expect(await transcriptions.create({ model: 'svc-transcribe-1.0', file })).toEqual({ text: '' })
    const model = 'svc-transcribe-diarize-pro'
    const nothing = { task: 'transcribe', duration: SECONDS, text: '', segments: [] }
    expect(await transcriptions.create({ model, file })).toEqual(nothing)
    expect(await transcriptions.create({ model, file, keyterms: KEYTERMS })).toEqual(nothing)
  })
})
