import type { Recognition } from '@svc-audio/engine-ports'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { engines } from './engines.ts'
import {
  respondJson,
  type ReceivedRequest,
  type ScriptedUpstream,
  startUpstream,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { spokenPcm } from './speech.ts'

let upstream: ScriptedUpstream
let speech: Uint8Array
beforeAll(async () => {
  speech = await spokenPcm('The train to the coast leaves at seven. Take your coat, and the umbrella too.')
})
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

async function recognize(pcm: Uint8Array, keys: object = {}): Promise<Recognition> {
  const engine = await engines(upstream, { recognition: { transcripts: 'speakers', ...keys } }).recognition()
  try {
    const source = async function* source() {
      yield pcm
    }
    return await engine.recognize(source(), { keyterms: ['Szczecin'] })
  } finally {
    await engine.close()
  }
}

const segment = (speaker: string | undefined, start: number, end: number) => ({
  text: `${start}`,
  start,
  end,
  ...(speaker === undefined ? {} : { speaker }),
})

/** Values of a repeated field of a form. */
const valuesOf = ({ body }: ReceivedRequest, name: string): string[] =>
  [...body.toString('latin1').matchAll(new RegExp(`name="${name}\\[\\]"\r\n\r\n([^\r]*)`, 'g'))].map(
    ([, value = '']) => value,
  )

test('the speakers of the server are those of the segments', async () => {
  upstream.script = (_request, response) =>
    respondJson(response, 200, { text: '0 2', segments: [segment('A', 0, 2), segment('B', 2, 4)] })
  const { segments, words } = await recognize(speech)
  expect(words).toEqual([])
  expect(segments?.map(({ speaker }) => speaker)).toEqual(['S01', 'S02'])
  expect(upstream.received[0]?.fields).toMatchObject({ response_format: 'diarized_json', chunking_strategy: 'auto' })
  expect(upstream.received[0]?.fields).not.toHaveProperty('prompt')
})

test('later pieces carry a sample of each voice, so that speakers keep their labels', async () => {
  upstream.script = (request, response, count) => {
    const known = valuesOf(request, 'known_speaker_names')
    // The server has other labels for whom it does not know.
    const [first, second] = count === 1 ? ['A', 'B'] : [known[1] ?? 'C', known[0] ?? 'D']
    return respondJson(response, 200, { text: 'x', segments: [segment(first, 0, 2.5), segment(second, 2.5, 4.8)] })
  }
  const { segments } = await recognize(Buffer.concat([speech, new Uint8Array(64_000), speech]), { maxSeconds: 6 })
  expect(upstream.received.map((request) => valuesOf(request, 'known_speaker_names'))).toEqual([[], ['S01', 'S02']])
  const [sample = ''] = valuesOf(upstream.received[1] ?? { ...NOTHING }, 'known_speaker_references')
  expect(Buffer.from(sample.replace('data:audio/wav;base64,', ''), 'base64').length).toBe(44 + 2 * 2.5 * 16_000)
  expect(segments?.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S02', 'S01'])
})

test('a voice that is too short for a sample has a new label in the next piece', async () => {
  upstream.script = (_request, response) => respondJson(response, 200, { text: 'x', segments: [segment('A', 0, 1)] })
  const { segments } = await recognize(Buffer.concat([speech, new Uint8Array(64_000), speech]), { maxSeconds: 6 })
  expect(segments?.map(({ speaker }) => speaker)).toEqual(['S01', 'S02'])
})

test('a response in which a segment has no speaker has none', async () => {
  upstream.script = (_request, response) =>
    respondJson(response, 200, { text: '0 2', segments: [segment('A', 0, 2), segment(undefined, 2, 4)] })
  const { segments } = await recognize(speech)
  expect(segments?.map(({ speaker }) => speaker)).toEqual([undefined, undefined])
})

const NOTHING = { path: '', headers: {}, body: Buffer.alloc(0), fields: {}, samples: new Int16Array(0) }
