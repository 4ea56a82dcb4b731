import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLexicon, narrate, narratePlainText } from '../src/text/index.ts'
import { ConfigurationError, InvalidRequestError, type PcmFormat } from '../src/index.ts'
import { collect, connect, listAll, rejection, until } from './support/clients.ts'
import { type Asked, hold, samples, samplesOf, startSpeaker } from './support/narration.ts'
import { PCM_HEADERS, STREAM } from './support/speech.ts'

/** 10 ms, which is 240 samples at the rate of the server. */
const GAP = { gapSeconds: 0.01, paragraphGapSeconds: 0.02 }
const PIECES = { ...GAP, maxCharacters: 32 }
const THREE = 'The first one is of this length. The second one is a bit so. The third one is the last.'
const [ONE = '', TWO = '', LAST = ''] = THREE.split(/(?<=\.) /)

/** Speech that begins and ends with silence, and has silence within. */
function spoken(input: string): number[] {
  const value = 1000 + input.length
  return [...hold(30, 5), value, ...hold(50), -value, ...hold(20, -7)]
}

const respond = (asked: Asked): void => asked.speak(samples(...spoken(asked.input)))

describe('pieces become one audio', () => {
  test('in order, clipped at inner joins only, with the gap between them', async () => {
    const server = await startSpeaker(respond)
    const narration = await narrate(connect(server.url), { ...STREAM, input: THREE }, PIECES)
    expect(narration.format).toEqual({ sampleRate: 24_000, channels: 1, bitDepth: 16 } satisfies PcmFormat)
    expect(narration.complete).toBe(false)
    const inner = (text: string): number[] => spoken(text).slice(30, -20)
    expect(samplesOf(await collect(narration))).toEqual([
      ...spoken(ONE).slice(0, -20),
      ...hold(240),
      ...inner(TWO),
      ...hold(240),
      ...spoken(LAST).slice(30),
    ])
    expect(narration.complete).toBe(true)
    expect(server.asked.map(({ input }) => input)).toEqual([ONE, TWO, LAST])
  })

  test('even if a later piece is ready first', async () => {
    const server = await startSpeaker()
    const narrating = narrate(connect(server.url), { ...STREAM, input: THREE }, { ...PIECES, concurrency: 3 })
    await until(() => server.asked.length === 3)
    server.find(LAST).speak(samples(300))
    server.find(TWO).speak(samples(200))
    const first = server.find(ONE)
    first.begin(samples(100))
    const chunks = (await narrating)[Symbol.asyncIterator]()
    expect(samplesOf((await chunks.next()).value ?? samples())).toEqual([100])
    first.go(samples(101, 102))
    expect(samplesOf((await chunks.next()).value ?? samples())).toEqual([101, 102])
    first.done()
    expect(samplesOf(await collect(chunks))).toEqual([...hold(240), 200, ...hold(240), 300])
  })

  test('never more than concurrency at a time', async () => {
    const server = await startSpeaker()
    const narration = narrate(connect(server.url), { ...STREAM, input: THREE }, { ...PIECES, concurrency: 2 })
    await until(() => server.asked.length === 2)
    // The second is there whole, but its place is free only once it has been taken.
    server.find(TWO).speak(samples(200))
    server.find(ONE).begin(samples(100))
    const chunks = (await narration)[Symbol.asyncIterator]()
    await chunks.next()
    expect(server.asked).toHaveLength(2)
    server.find(ONE).done()
    await chunks.next()
    await until(() => server.asked.length === 3)
    server.find(LAST).speak(samples(300))
    expect(samplesOf(await collect(chunks)).filter((value) => value !== 0)).toEqual([200, 300])
  })

  test('one at a time too', async () => {
    const server = await startSpeaker(respond)
    const narration = await narrate(connect(server.url), { ...STREAM, input: THREE }, { ...PIECES, concurrency: 1 })
    expect(server.asked).toHaveLength(1)
    expect((await collect(narration)).length).toBeGreaterThan(0)
    expect(server.asked).toHaveLength(3)
  })

  test('a single piece stays unchanged', async () => {
    const server = await startSpeaker(respond)
    const narration = await narrate(connect(server.url), STREAM)
    expect(samplesOf(await collect(narration))).toEqual(spoken(STREAM.input))
  })

  test('a paragraph is followed by its own gap', async () => {
    const server = await startSpeaker((asked) => asked.speak(samples(100)))
    const input = 'A paragraph of some length.\n\nAnother one.'
    const narration = await narrate(connect(server.url), { ...STREAM, input }, PIECES)
    expect(samplesOf(await collect(narration))).toEqual([100, ...hold(480), 100])
  })

  test('a requested pause is neither clipped nor lengthened', async () => {
    const server = await startSpeaker((asked) => asked.speak(samples(...hold(3), 100, ...hold(4))))
    const input = 'The first one. [pause 0.5s] The second one of them. The third one. [pause 1s]'
    const narration = await narrate(connect(server.url), { ...STREAM, input }, PIECES)
    expect(samplesOf(await collect(narration))).toEqual([
      ...hold(3),
      100,
      ...hold(4),
      100,
      ...hold(240),
      100,
      ...hold(4),
    ])
    expect(narration.pieces.map(({ written }) => written)).toEqual([
      'The first one.',
      'The second one of them.',
      'The third one.',
    ])
    expect(server.asked.map((asked) => asked.input).join('|')).toBe(
      'The first one. [pause 0.5s]|The second one of them.|The third one. [pause 1s]',
    )
  })

  test('a gap of 0 adds nothing', async () => {
    const server = await startSpeaker((asked) => asked.speak(samples(0, 99, 0)))
    const narration = await narrate(connect(server.url), { ...STREAM, input: THREE }, { ...PIECES, gapSeconds: 0 })
    expect(samplesOf(await collect(narration))).toEqual([0, 99, 99, 99, 0])
  })

  test('raw PCM is joined too, but does not count as complete', async () => {
    const server = await startSpeaker(({ response }) => void response.writeHead(200, PCM_HEADERS).end(samples(90, 90)))
    const body = { ...STREAM, input: THREE, stream_format: 'audio' } as const
    const narration = await narrate(connect(server.url), body, { ...PIECES, gapSeconds: 0 })
    expect(samplesOf(await collect(narration.stream()))).toEqual(hold(6, 90))
    expect(narration.format).toEqual({ sampleRate: 16_000, channels: 2, bitDepth: 16 })
    expect(narration.complete).toBe(false)
  })
})

describe('pieces for captions', () => {
  test('have the written text and their place in the audio', async () => {
    const server = await startSpeaker((asked) =>
      asked.speak(samples(...hold(2400), ...hold(2400, 1000), ...hold(2400))),
    )
    const input = 'The SQL of **this** one is fine. ABC is the second one.'
    const lexicon = createLexicon({ en: { SQL: 'sequel' }, '*': { ABC: 'a b c' } })
    const body = { ...STREAM, input, language: 'en-US' }
    const narration = await narrate(connect(server.url), body, { ...PIECES, lexicon })
    expect(narration.pieces).toEqual([])
    await collect(narration)
    expect(narration.pieces).toEqual([
      {
        written: 'The SQL of this one is fine.',
        spoken: 'The sequel of this one is fine.',
        startSecond: 0,
        endSecond: 0.2,
      },
      { written: 'ABC is the second one.', spoken: 'a b c is the second one.', startSecond: 0.21, endSecond: 0.41 },
    ])
    expect(server.asked.map(({ input: sent }) => sent)).toEqual(narration.pieces.map((piece) => piece.spoken))
  })

  test('omit a piece with only a pause', async () => {
    const server = await startSpeaker((asked) => asked.speak(samples(0, 100, 0)))
    const input = (async function* () {
      yield 'One.\n\n[pause 1s]'
    })()
    const narration = await narrate(connect(server.url), { ...STREAM, input }, GAP)
    expect(samplesOf(await collect(narration))).toEqual([0, 100, 0, 100, 0])
    expect(server.asked.map((asked) => asked.input)).toEqual(['One.', '[pause 1s]'])
    expect(narration.pieces.map((piece) => piece.written)).toEqual(['One.'])
  })

  test('appear when they begin', async () => {
    const server = await startSpeaker()
    const narrating = narrate(connect(server.url), STREAM)
    await until(() => server.asked.length === 1)
    server.asked[0]?.begin(samples(...hold(2400, 1000)))
    const narration = await narrating
    const chunks = narration[Symbol.asyncIterator]()
    await chunks.next()
    expect(narration.pieces).toMatchObject([{ written: STREAM.input, startSecond: 0, endSecond: 0.1 }])
    server.asked[0]?.done()
    await chunks.next()
  })
})

describe('the text', () => {
  test('is made speakable by default', async () => {
    const server = await startSpeaker(respond)
    const client = connect(server.url)
    const body = { ...STREAM, input: '# Hi **you** 😀' }
    await collect(await narrate(client, body))
    await collect(await narrate(client, body, { speakable: { emoji: 'keep' } }))
    await collect(await narrate(client, body, { speakable: false }))
    await collect(await narratePlainText(client, body))
    expect(server.asked.map(({ input }) => input)).toEqual([
      'Hi you.',
      'Hi you 😀.',
      '# Hi **you** 😀',
      '# Hi **you** 😀',
    ])
  })

  test('plain text is spoken to its last character, whatever it looks like', async () => {
    const input = [
      '# A title with #tags',
      '- **bold**, `code` and <b>html</b>.',
      '```js\nlet a = "b" // c\n```',
      '[A link](https://example.com/a?b=c#d), 😀, $x^2$ &amp; | a | b |.',
      '---\n<!-- no comment -->\nThe end \\',
    ].join('\n\n')
    const server = await startSpeaker(respond)
    const narration = await narratePlainText(connect(server.url), { ...STREAM, input }, PIECES)
    await collect(narration)
    const pieces = narration.pieces.map(({ written }) => written)
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('').replaceAll(/\s/g, '')).toBe(input.replaceAll(/\s/g, ''))
    // Two are synthesized at a time, so their requests may arrive in another order.
    expect(server.asked.map((asked) => asked.input).toSorted()).toEqual(pieces.toSorted())
  })

  test.each([
    ['an unclosed fence in a list item', '- one\n  ```\n  code\n\nTwo.'],
    ['an unclosed fence in a quotation', '> ```\n> code\n\nTwo.'],
    ['a line of tildes', '~~~\n\nTwo.'],
  ])('%s loses no text behind it', async (_, input) => {
    const server = await startSpeaker(respond)
    const narration = await narrate(connect(server.url), { ...STREAM, input })
    await collect(narration)
    expect(narration.pieces.at(-1)?.written).toMatch(/Two\.$/)
    expect(narration.complete).toBe(true)
  })

  test('a wrong option of the Markdown reader is named before anything is sent', async () => {
    const server = await startSpeaker(respond)
    const options = JSON.parse('{"speakable":{"emojis":"keep"}}')
    await expect(narrate(connect(server.url), { ...STREAM, input: 'Hi' }, options)).rejects.toThrow(
      /^Unknown option `emojis`; did you mean `emoji`/,
    )
    expect(server.asked).toEqual([])
  })

  test('can be streamed, and is spoken sentence by sentence', async () => {
    const server = await startSpeaker(respond)
    let more: (() => void) | undefined
    const written = new Promise<void>((resolve) => {
      more = resolve
    })
    async function* input(): AsyncGenerator<string, void, undefined> {
      yield 'Dr. Smith took **3.'
      yield '14** of it. Then he left.\n\nThe'
      await written
      yield ' end.'
    }
    const narration = await narrate(connect(server.url), { ...STREAM, input: input() }, GAP)
    const chunks = narration[Symbol.asyncIterator]()
    await chunks.next()
    await until(() => server.asked.length === 2)
    more?.()
    await collect(chunks)
    expect(narration.pieces.map((piece) => piece.written)).toEqual([
      'Dr. Smith took 3.14 of it.',
      'Then he left.',
      'The end.',
    ])
    const [, second, third] = narration.pieces
    expect((third?.startSecond ?? 0) - (second?.endSecond ?? 0)).toBeCloseTo(0.02)
  })

  test('is sent with everything else of the body, and with the headers of the call', async () => {
    const server = await startSpeaker(respond)
    const aigc = { enabled: true }
    const body = { ...STREAM, input: THREE, voice_id: 'v', speed: 1.5, aigc_metadata: aigc, own: 1 }
    await collect(await narrate(connect(server.url), body, { ...PIECES, headers: { 'x-own': 'yes' } }))
    for (const { body: sent } of server.asked) {
      expect(sent).toMatchObject({
        model: STREAM.model,
        voice_id: 'v',
        speed: 1.5,
        aigc_metadata: aigc,
        own: 1,
        stream: true,
      })
    }
    expect(server.requests.map((request) => request.headers['x-own'])).toEqual(['yes', 'yes', 'yes'])
  })
})

describe('invalid input throws before the first request', () => {
  test.each([
    ['missing_required_field', 'input', { ...STREAM, input: ' \n' }],
    ['missing_required_field', 'input', { ...STREAM, input: '```\ncode\n```' }],
    ['missing_required_field', 'input', { ...STREAM, input: (async function* () {})() }],
    ['invalid_range', 'input', { ...STREAM, input: `${THREE} [pause 11s]` }],
    ['invalid_range', 'speed', { ...STREAM, speed: 5 }],
    ['unsupported_stream', 'stream', { ...STREAM, model: 'svc-tts-1.0-pro' }],
    ['unsupported_field', 'expected_duration_sec', { ...STREAM, expected_duration_sec: 5 }],
  ])('%s of %s', async (code, param, body) => {
    const server = await startSpeaker(respond)
    const error = await rejection(narrate(connect(server.url), body, PIECES))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code, param })
    expect(server.requests).toEqual([])
  })

  test.each([
    { maxCharacters: 5 },
    { concurrency: 0 },
    { concurrency: 33 },
    { concurrency: 1.5 },
    { gapSeconds: -1 },
    { paragraphGapSeconds: Number.NaN },
    { timeout: -1 },
  ])('%j', async (options) => {
    const server = await startSpeaker(respond)
    expect(await rejection(narrate(connect(server.url), STREAM, options))).toBeInstanceOf(ConfigurationError)
    expect(server.requests).toEqual([])
  })
})

test('sounds stay complete and in order, for any chunks and silence', async () => {
  const piece = fc.record({
    lead: fc.nat({ max: 5 }),
    body: fc.array(fc.constantFrom(0, 1, -20, 500, -500), { maxLength: 6 }),
    tail: fc.nat({ max: 5 }),
  })
  const wanted: Uint8Array[] = []
  const server = await startSpeaker((asked) => {
    const audio = wanted[Number(/\d+/.exec(asked.input)?.[0])] ?? samples()
    asked.begin()
    for (let from = 0; from < audio.length; from += 3) asked.go(audio.subarray(from, from + 3))
    asked.done()
  })
  const client = connect(server.url)
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 4 }), async (pieces) => {
      const all = pieces.map(({ lead, body, tail }) => [...hold(lead), 900, ...body, -900, ...hold(tail)])
      wanted.splice(0, Infinity, ...all.map((values) => samples(...values)))
      const input = (async function* () {
        for (const index of all.keys()) yield `Piece ${index} it is. `
      })()
      const narration = await narrate(client, { ...STREAM, input }, { gapSeconds: 0, concurrency: 3 })
      const expected = all.flatMap((values, index) => {
        const from = index === 0 ? 0 : values.indexOf(900)
        return values.slice(from, index === all.length - 1 ? undefined : values.lastIndexOf(-900) + 1)
      })
      expect(samplesOf(Buffer.concat(await listAll(narration)))).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})
