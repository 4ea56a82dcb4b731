import type { RecognizedWord } from '@svc-audio/engine-ports'
import { respondJson, type ScriptedUpstream, startUpstream } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engines } from './engines.ts'
import { spokenPcm } from './speech.ts'

const BYTES_PER_SECOND = 2 * 16_000
const HOURS = 2
/** OpenAI's limit of a file, in bytes. */
const LIMIT = 25_000_000

let upstream: ScriptedUpstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

test('two hours of speech go through a limit of 25 MB, with right times at both ends, and a piece that fails goes again alone', async () => {
  const sentence = await spokenPcm('The train to the coast leaves at seven. Take your coat, and the umbrella too.')
  const part = Buffer.concat([sentence, new Uint8Array(BYTES_PER_SECOND / 2)])
  const bytes = HOURS * 3600 * BYTES_PER_SECOND
  // Speech from the first second to the last one: nothing can be left out.
  async function* recording(): AsyncGenerator<Uint8Array> {
    const rest = bytes % part.length
    if (rest > 0) yield new Uint8Array(rest)
    for (let sent = rest, index = 0; sent < bytes; sent += part.length, index += 1) {
      // Two quiet samples make each part, and so each piece, another one.
      const own = Buffer.from(part)
      own.writeInt16LE(index & 31, own.length - 4)
      own.writeInt16LE(index >> 5, own.length - 2)
      yield own
    }
  }
  const sizes: number[] = []
  const sums: number[] = []
  upstream.script = ({ body, samples }, response, count) => {
    sizes.push(body.length)
    sums.push(samples.reduce((sum, sample) => (sum * 31 + sample) | 0, 0))
    upstream.forget()
    if (count === 4) return response.destroy()
    const end = samples.length / 16_000
    return respondJson(response, 200, {
      text: 'first last',
      words: [
        { word: 'first', start: 0.1, end: 0.4 },
        { word: 'last', start: end - 0.6, end: end - 0.2 },
      ],
    })
  }
  const words: RecognizedWord[] = []
  const engine = await engines(upstream, {
    recognition: { maxBytes: LIMIT, maxSeconds: 7200 },
  }).recognition()
  const { durationSeconds } = await engine.recognize(recording(), { onWords: (more) => words.push(...more) })
  await engine.close()

  expect(durationSeconds).toBe(HOURS * 3600)
  const pieces = words.length / 2
  // 7,200 s are 230 MB: ten pieces at least.
  expect(pieces).toBeGreaterThanOrEqual(10)
  expect(pieces).toBeLessThanOrEqual(11)
  expect(sizes).toHaveLength(pieces + 1)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(LIMIT)
  expect(new Set(sums).size).toBe(pieces)
  expect(words[0]?.startSecond).toBeLessThan(part.length / BYTES_PER_SECOND + 0.5)
  expect(words.at(-1)?.endSecond).toBeGreaterThan(HOURS * 3600 - 1.5)
  expect(words.at(-1)?.endSecond).toBeLessThanOrEqual(HOURS * 3600)
  for (const [index, word] of words.entries()) {
    expect(word.startSecond).toBeGreaterThanOrEqual(words[index - 1]?.startSecond ?? 0)
  }
})
