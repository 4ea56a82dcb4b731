import type { SpeechEngine } from '@svc-audio/engine-ports'
import { speechContract } from '@svc-audio/engine-ports/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEspeakEngine } from '../src/index.ts'

let engine: SpeechEngine
beforeAll(async () => {
  engine = await createEspeakEngine()
})
afterAll(() => engine.close())

async function secondsOf(text: string, speed = 1, voiceId = 'espeak'): Promise<number> {
  const { format, chunks } = await engine.synthesize({ text, voiceId, speed })
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.length
  return bytes / 2 / format.sampleRate
}

describe('the program espeak-ng keeps the contract of speech', () => {
  test.each(speechContract)('$name', async ({ run }) => {
    const create = (): Promise<SpeechEngine> => createEspeakEngine()
    await expect(run({ create, text: 'One two. Three four.', unspeakable: '… !' })).resolves.toBeUndefined()
  })
})

test('a hundred languages have a voice', () => {
  expect(new Set(engine.voices.slice(1).map(({ language }) => language)).size).toBeGreaterThan(90)
})

test.each([
  'The train leaves at seven.',
  'Der Zug fährt um sieben Uhr.',
  'Поезд отправляется в семь.',
  'القطار يغادر الساعة السابعة.',
  'ट्रेन सात बजे निकलती है।',
  '火车七点出发。',
  '기차는 일곱 시에 출발합니다.',
  'Το τρένο φεύγει στις επτά.',
])('%s is spoken', async (text) => {
  expect(await secondsOf(text)).toBeGreaterThan(0.8)
})

test.each([0.25, 0.5, 2, 4])('speech at speed %d has the length that the speed asks for', async (speed) => {
  const text = 'The train to the coast leaves at seven in the morning.'
  const ratio = (await secondsOf(text, speed)) / (await secondsOf(text))
  expect(ratio * speed).toBeCloseTo(1, 1)
})
