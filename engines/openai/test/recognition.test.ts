import { EngineLostError, EngineNotReadyError, type Recognition, type RecognizeOptions } from '@svc-audio/engine-ports'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { engines } from './engines.ts'
import { respondJson, type ScriptedUpstream, startUpstream } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { spokenPcm } from './speech.ts'

const RATE = 16_000
const silence = (seconds: number): Uint8Array => new Uint8Array(2 * RATE * seconds)

let upstream: ScriptedUpstream
let speech: Uint8Array
beforeAll(async () => {
  speech = await spokenPcm('The train to the coast leaves at seven.')
})
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

async function* parts(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of all) yield part
}

async function recognize(
  pcm: AsyncIterable<Uint8Array>,
  keys: object = {},
  options: RecognizeOptions = {},
): Promise<Recognition> {
  const engine = await engines(upstream, { recognition: keys }).recognition()
  try {
    return await engine.recognize(pcm, options)
  } finally {
    await engine.close()
  }
}

describe('a recording', () => {
  test('is cut at its pauses below the limit, and has its times at both ends', async () => {
    const { words, durationSeconds } = await recognize(
      parts(silence(10), speech, silence(20), speech, silence(30), speech, silence(10)),
      { maxSeconds: 5 },
    )
    expect(upstream.received).toHaveLength(3)
    const seconds = speech.length / 2 / RATE
    expect(durationSeconds).toBeCloseTo(70 + 3 * seconds, 3)
    expect(words[0]?.startSecond).toBeGreaterThan(9.5)
    expect(words[0]?.startSecond).toBeLessThan(10.5)
    const starts = words.filter(({ startSecond }, index) => startSecond - (words[index - 1]?.endSecond ?? 0) > 5)
    expect(starts).toHaveLength(3)
    for (const [index, second] of [10, 30 + seconds, 60 + 2 * seconds].entries()) {
      expect(Math.abs((starts[index]?.startSecond ?? 0) - second)).toBeLessThan(0.5)
    }
    expect(words.at(-1)?.endSecond).toBeLessThanOrEqual(60 + 3 * seconds + 0.3)
  })

  test('has the right times also where a long silence is left out of a piece', async () => {
    upstream.script = ({ samples }, response) =>
      respondJson(response, 200, {
        text: 'first last',
        words: [
          { word: 'first', start: 0.1, end: 0.4 },
          { word: 'last', start: samples.length / RATE - 0.5, end: samples.length / RATE - 0.2 },
        ],
      })
    const { words } = await recognize(parts(speech, silence(15), speech), { maxSeconds: 60 })
    expect(upstream.received).toHaveLength(1)
    const seconds = speech.length / 2 / RATE
    expect((upstream.received[0]?.samples.length ?? 0) / RATE).toBeLessThan(2 * seconds + 1.5)
    expect(words[1]?.startSecond).toBeGreaterThan(15 + 2 * seconds - 1)
    expect(words[1]?.startSecond).toBeLessThan(15 + 2 * seconds)
  })

  test('that is silent gets no request', async () => {
    expect(await recognize(parts(silence(30)))).toEqual({ text: '', words: [], durationSeconds: 30 })
    expect(upstream.received).toEqual([])
  })

  test('stays below the bytes of a request', async () => {
    const long = Array.from({ length: 8 }, () => [speech, silence(1)]).flat()
    await recognize(parts(...long), { maxBytes: 250_000 })
    expect(upstream.received.length).toBeGreaterThan(2)
    for (const { body } of upstream.received) expect(body.length).toBeLessThanOrEqual(250_000)
  })
})

describe('a piece', () => {
  const three = () => parts(speech, silence(2), speech, silence(2), speech, silence(1))

  test('whose response does not come is sent again alone', async () => {
    upstream.script = (_request, response, count) => {
      if (count !== 2) return undefined
      response.destroy()
      return true
    }
    const { words } = await recognize(three(), { maxSeconds: 5 })
    expect(upstream.received).toHaveLength(4)
    expect(words.length).toBeGreaterThan(2)
    const bodies = upstream.received.map(({ samples }) => Buffer.from(samples.buffer).toString('base64'))
    expect(new Set(bodies).size).toBeLessThanOrEqual(3)
  })

  test('that is refused ends the work', async () => {
    upstream.script = (_request, response) => respondJson(response, 401, { error: { message: 'wrong key' } })
    await expect(recognize(three(), { maxSeconds: 5 })).rejects.toThrow(EngineNotReadyError)
    expect(upstream.received.length).toBeLessThanOrEqual(2)
  })

  test.each([
    ['400', { error: { message: "Invalid language 'xx'", param: 'language' } }],
    ['422', { detail: [{ loc: ['body', 'language'], msg: "Input should be 'af' or 'am'" }] }],
    ['400', { error: { message: 'Unsupported language: xx' } }],
  ])('whose language is refused with %s says so', async (status, body) => {
    upstream.script = (_request, response) => respondJson(response, Number(status), body)
    const refused = recognize(parts(speech), {}, { language: 'xx' })
    await expect(refused).rejects.toMatchObject({ name: 'EngineRefusedError', engine: 'kokoro', param: 'language' })
    expect(upstream.received).toHaveLength(1)
  })

  test('without a language is not told to change it', async () => {
    upstream.script = (_request, response) =>
      respondJson(response, 400, { error: { message: 'Detection of the language failed', param: 'language' } })
    const refused = recognize(parts(speech), { extra: { language: 'xx' } })
    await expect(refused).rejects.toMatchObject({ name: 'EngineRefusedError', param: undefined })
  })

  test('whose prompt is repeated by a refusal hides it', async () => {
    upstream.script = (_request, response) => respondJson(response, 400, { error: { message: 'no: a secret name' } })
    const refused = recognize(parts(speech), {}, { prompt: 'a secret name' })
    await expect(refused).rejects.toThrow(/answered 400: no: …$/)
  })

  test('that is too large names the remedy', async () => {
    upstream.script = (_request, response) => respondJson(response, 413, {})
    await expect(recognize(parts(speech))).rejects.toThrow(/answered 413, set recognition\.maxBytes/)
  })

  test.each([502, 504])('answered by a gateway with %i says that the server is lost', async (status) => {
    upstream.script = (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html></html>')
      return true
    }
    await expect(recognize(parts(speech))).rejects.toBeInstanceOf(EngineLostError)
  })

  test('without a response in time is not sent again', async () => {
    upstream.script = () => true
    const engine = await engines(upstream, { timeouts: { answerSeconds: 0.3 } }).recognition()
    await expect(engine.recognize(parts(speech))).rejects.toBeInstanceOf(EngineLostError)
    expect(upstream.received).toHaveLength(1)
  })

  test('answered with a page names it', async () => {
    upstream.script = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
      return true
    }
    await expect(recognize(parts(speech))).rejects.toThrow(/an HTML page where JSON was expected: check baseUrl/)
  })
})

describe('a response', () => {
  const heard = async (answer: object, keys: object = {}): Promise<Recognition> => {
    upstream.script = (_request, response) => respondJson(response, 200, answer)
    return recognize(parts(silence(2), speech, silence(1)), keys)
  }

  test('with words has words, spelt as in the text', async () => {
    const words = [
      { word: 'hello', start: 0, end: 0.5 },
      { word: 'there', start: 0.5, end: 1 },
    ]
    const {
      text,
      words: placed,
      segments,
      language,
    } = await heard({ text: 'Hello, there.', language: 'english', words })
    expect([text, language, segments]).toEqual(['Hello, there.', 'en', undefined])
    expect(placed.map(({ word }) => word)).toEqual(['Hello,', 'there.'])
    expect(placed[0]?.startSecond).toBeGreaterThan(1.5)
  })

  test('with words inside of segments, in parts, has whole words', async () => {
    const words = [
      { word: ' Sea', start: 0, end: 0.3 },
      { word: 'side', start: 0.3, end: 0.6 },
      { word: ' town', start: 0.6, end: 1 },
    ]
    const { words: placed } = await heard({
      text: ' Seaside town',
      segments: [{ text: ' Seaside town', start: 0, end: 1, words }],
    })
    expect(placed.map(({ word }) => word)).toEqual(['Seaside', 'town'])
  })

  test('with segments has segments and no invented words', async () => {
    const segments = [
      { text: ' Guten Tag.', start: 0, end: 1 },
      { text: ' Danke.', start: 1, end: 2 },
    ]
    const result = await heard({ text: 'Guten Tag. Danke.', language: 'de', segments }, { transcripts: 'segments' })
    expect(result).toMatchObject({ text: 'Guten Tag. Danke.', words: [], language: 'de' })
    expect(result.segments?.map(({ text }) => text)).toEqual(['Guten Tag.', 'Danke.'])
    expect(upstream.received[0]?.fields).toMatchObject({
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'segment',
    })
  })

  test('with text alone is one segment', async () => {
    const { segments, words } = await heard({ text: 'All of it.' }, { transcripts: 'text' })
    expect(words).toEqual([])
    expect(segments).toHaveLength(1)
    expect(segments?.[0]?.startSecond).toBeGreaterThan(1.5)
    expect(upstream.received[0]?.fields).toMatchObject({ response_format: 'json' })
  })

  test('that says a sentence three times has it three times', async () => {
    const said = 'No. No. No. I said no.'
    expect((await heard({ text: said }, { transcripts: 'text' })).text).toBe(said)
    const segments = ['No.', 'No.', 'No.', 'I said no.'].map((text, at) => ({ text, start: at / 2, end: at / 2 + 0.5 }))
    const { text, segments: told } = await heard({ text: said, segments }, { transcripts: 'segments' })
    expect([text, told?.map((one) => one.text)]).toEqual([said, ['No.', 'No.', 'No.', 'I said no.']])
  })

  test('that repeats a sentence for longer than anybody speaks in that time has it once', async () => {
    const loop = 'Thank you. '.repeat(40)
    expect((await heard({ text: loop }, { transcripts: 'text' })).text).toBe('Thank you.')
    const segments = Array.from({ length: 40 }, (_, at) => ({ text: 'Thank you.', start: at / 20, end: (at + 1) / 20 }))
    expect((await heard({ text: loop, segments }, { transcripts: 'segments' })).segments).toHaveLength(1)
    const after = Array.from({ length: 5 }, (_, at) => ({ text: 'Thank you.', start: at, end: at + 1 }))
    const { text } = await heard({ text: 'Thank you. '.repeat(5), segments: after }, { transcripts: 'segments' })
    // The recording has less than three seconds of speech.
    expect(text.match(/Thank/g)?.length).toBeLessThan(4)
  })

  test('with times in nanoseconds has its times in seconds', async () => {
    const segments = [
      { text: 'One.', start: 0, end: 900_000_000 },
      { text: 'Two.', start: 1_000_000_000, end: 1_900_000_000 },
    ]
    const result = await heard({ text: 'One. Two.', segments }, { transcripts: 'segments' })
    const [first, second] = result.segments ?? []
    expect((second?.startSecond ?? 0) - (first?.startSecond ?? 0)).toBeCloseTo(1, 3)
  })

  test('with words and segments tells the words of each segment, with its text and its times', async () => {
    const told: unknown[] = []
    upstream.script = (_request, response) =>
      respondJson(response, 200, {
        text: 'Hello there. Bye.',
        words: [
          { word: 'hello', start: 0.1, end: 0.5 },
          { word: 'there', start: 0.5, end: 0.9 },
          { word: 'bye', start: 1.2, end: 1.6 },
        ],
        segments: [
          { text: ' Hello there.', start: 0, end: 1 },
          { text: ' Bye.', start: 1.1, end: 1.7 },
        ],
      })
    const { words, segments } = await recognize(
      parts(silence(2), speech),
      {},
      {
        onWords: (some, utterance) => told.push([some.map(({ word }) => word).join(' '), utterance?.text]),
      },
    )
    expect(told).toEqual([
      ['Hello there.', 'Hello there.'],
      ['Bye.', 'Bye.'],
    ])
    expect([words.length, segments]).toEqual([3, undefined])
  })

  test('with words alone tells them sentence by sentence', async () => {
    const told: string[] = []
    upstream.script = (_request, response) =>
      respondJson(response, 200, {
        text: 'Hello there. Bye now',
        words: ['hello', 'there', 'bye', 'now'].map((word, at) => ({ word, start: at / 2, end: at / 2 + 0.4 })),
      })
    await recognize(parts(speech), {}, { onWords: (some) => void told.push(some.map(({ word }) => word).join(' ')) })
    expect(told).toEqual(['Hello there.', 'Bye now'])
  })

  test('that says something twice has it twice', async () => {
    expect((await heard({ text: 'No. No. Yes.' }, { transcripts: 'text' })).text).toBe('No. No. Yes.')
  })
})

test('language and keyterms are passed on', async () => {
  await recognize(parts(speech), {}, { language: 'de-AT', keyterms: ['Szczecin', 'svc audio'] })
  await recognize(parts(speech), { keyterms: 'hotwords' }, { keyterms: ['Szczecin'] })
  expect(upstream.received[0]?.fields).toMatchObject({
    language: 'de',
    prompt: 'Szczecin, svc audio',
    model: 'whisper-1',
  })
  expect(upstream.received[1]?.fields).toMatchObject({ hotwords: 'Szczecin' })
})
