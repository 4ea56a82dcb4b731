import { describe, expect, test } from 'vitest'
import { referenceEvents } from '../../test/support/reference-sse.ts'
import { EventTooLargeError, ProtocolError } from '../errors.ts'
import { decodeDelta, fastDelta, parseEvent, SseDecoder } from './sse-decoder.ts'
import * as fc from 'fast-check'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What a decoder makes of chunks, its end included. */
function decode(chunks: readonly Uint8Array[], decoder: SseDecoder = new SseDecoder()): string[] {
  const events = chunks.flatMap((chunk) => decoder.feed(chunk))
  const last = decoder.end()
  return [...events, ...(last === undefined ? [] : [last])].map((data) => new TextDecoder().decode(data))
}

function cut(stream: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const edges = [0, ...positions.filter((at) => at <= stream.length).toSorted((a, b) => a - b), stream.length]
  return edges.slice(1).map((end, index) => stream.slice(edges[index], end))
}

const everyByte = (stream: Uint8Array): Uint8Array[] => Array.from(stream, (byte) => Uint8Array.of(byte))

const text = fc.string({ unit: 'binary', maxLength: 12 }).map((value) => value.replaceAll(/[\r\n]/g, '¶'))
const line = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => `data: ${value}`) },
  { weight: 2, arbitrary: text.map((value) => `data:${value}`) },
  { weight: 3, arbitrary: fc.constant('') },
  fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'data:  two spaces',
    ' data: indented',
    'data : x',
    'dataset: x',
    'dat',
    'DATA: x',
  ),
  text.map((value) => `:${value}`),
  text.map((value) => `event: ${value}`),
  fc.constantFrom('id: 7', 'retry: 100', 'unknown', '\uFEFFdata: a late mark'),
)
const ended = fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')).map((parts) => parts.join(''))
const stream = fc
  .tuple(fc.boolean(), fc.array(ended, { maxLength: 25 }), fc.option(line, { nil: '' }))
  .map(([bom, lines, rest]) => encode(`${bom ? '\uFEFF' : ''}${lines.join('')}${rest}`))

const REPRESENTATIVE: Readonly<Record<string, string>> = {
  'LF only': 'data: one\n\ndata: two\n\n',
  'CRLF only': ': hello\r\ndata: one\r\n\r\ndata: two\r\n\r\n',
  'CR only': 'data: one\r\rdata: two\r\r',
  'mixed line ends': 'data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\n',
  'data of many lines': 'data: one\ndata:\ndata\ndata:  three\r\n\r\n',
  'a byte order mark': '\uFEFFdata: one\n\n\uFEFFdata: not this one\n\n',
  'characters of two, three and four bytes': 'data: é€😀\n\ndata: 语音\r\n\r\n',
  'other fields': 'event: x\ndata: one\nid: 1\nretry: 5\n\n:\n\nevent: only\n\n',
  'an end without a blank line': 'data: one\n\ndata: two\n',
  'an end within a line': 'data: one\n\ndata: two',
  'nothing but line ends': '\n\r\n\r\r\n\n',
}

// rules: speech-events.frames, transcription-events.frames
describe('interface: Streaming speech events, frames of `data:` lines', () => {
  test.each(Object.entries(REPRESENTATIVE))('%s, cut anywhere, decode as the rules say', (_, source) => {
    const bytes = encode(source)
    const expected = referenceEvents(bytes)
    expect(decode([bytes])).toEqual(expected)
    expect(decode(everyByte(bytes))).toEqual(expected)
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        expect(decode(cut(bytes, [first, second]))).toEqual(expected)
      }
    }
  })

  test('any stream in any chunks decodes by the rules', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (bytes, positions) => {
        const expected = referenceEvents(bytes)
        expect(decode([bytes])).toEqual(expected)
        expect(decode(cut(bytes, positions))).toEqual(expected)
        expect(decode(everyByte(bytes))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  test('an LF that begins a chunk belongs to the CR that ended the last one, and only once', () => {
    const decoder = new SseDecoder()
    expect(decode([encode('data: a\r'), encode(''), encode('\n\n'), encode('data: b\n\n')], decoder)).toEqual([
      'a',
      'b',
    ])
  })

  test('a blank line completes an event at once, before the LF of its CRLF', () => {
    expect(new SseDecoder().feed(encode('data: a\r\n\r'))).toHaveLength(1)
  })

  test('an event is given out with the chunk that completes it, not later', () => {
    const decoder = new SseDecoder()
    expect(decoder.feed(encode('data: a\n'))).toEqual([])
    expect(decoder.feed(encode('\ndata: b'))).toEqual([encode('a')])
    expect(decoder.end()).toEqual(encode('b'))
    expect(decoder.end()).toBeUndefined()
  })

  test('an empty event is an event; a blank line without data is none', () => {
    expect(decode([encode('data:\n\n\n\n: comment\n\n')])).toEqual([''])
  })

  test('overwriting chunks does not change events of several chunks', () => {
    const decoder = new SseDecoder()
    const first = encode('data: abc')
    decoder.feed(first)
    first.fill(0)
    expect(decode([encode('def\n\n')], decoder)).toEqual(['abcdef'])
  })
})

describe('the limit of an event', () => {
  const max = 32
  const fitting: Readonly<Record<string, string>> = {
    'one line': `data: ${'x'.repeat(max - 6)}\n\n`,
    'a comment': `:${'x'.repeat(max - 1)}\n`,
    'many lines': `data: ${'x'.repeat(15)}\ndata: ${'x'.repeat(max - 15 - 6)}\n\n`,
  }

  test.each(Object.entries(fitting))(
    '%s of exactly the limit passes, one byte more throws, however it is cut',
    (_, source) => {
      const over = source.replace('x', 'xx')
      for (let at = 0; at <= source.length; at += 1) {
        const decoded = decode(cut(encode(source), [at]), new SseDecoder({ maxEventBytes: max }))
        expect(decoded).toEqual(referenceEvents(encode(source)))
        expect(() => decode(cut(encode(over), [at]), new SseDecoder({ maxEventBytes: max }))).toThrow(
          EventTooLargeError,
        )
      }
      expect(() => decode(everyByte(encode(over)), new SseDecoder({ maxEventBytes: max }))).toThrow(EventTooLargeError)
    },
  )

  test('the error names the limit', () => {
    const feed = (): unknown => new SseDecoder({ maxEventBytes: 8 }).feed(encode('data: 123'))
    expect(feed).toThrow(expect.objectContaining({ name: 'EventTooLargeError', maxEventBytes: 8 }))
  })

  test('a line without an end is refused while it comes, not when it ends', () => {
    const decoder = new SseDecoder({ maxEventBytes: 100 })
    const piece = encode('x'.repeat(30))
    for (let count = 0; count < 3; count += 1) expect(decoder.feed(piece)).toEqual([])
    expect(() => decoder.feed(piece)).toThrow(EventTooLargeError)
  })

  test('lines without data count too: a flood of them cannot fill the memory', () => {
    const decoder = new SseDecoder({ maxEventBytes: 1000 })
    expect(() => {
      for (let count = 0; count < 1000; count += 1) decoder.feed(encode('data\n'))
    }).toThrow(EventTooLargeError)
  })

  test('thousands of events and comments under the limit never add up to it', () => {
    const decoder = new SseDecoder({ maxEventBytes: 24 })
    const frame = encode(': a comment in between\r\ndata: 12345\ndata: 67\r\n\nevent: x\n\n')
    let events = 0
    for (let count = 0; count < 3000; count += 1) {
      for (const chunk of cut(frame, [(count * 7) % frame.length])) events += decoder.feed(chunk).length
    }
    expect(events).toBe(3000)
    expect(decoder.end()).toBeUndefined()
  })
})

/** Bytes that typed arrays copy and search while something runs. */
function countWork(run: () => void): { copied: number; searched: number } {
  type Bytes = Pick<Uint8Array, 'set' | 'indexOf'>
  const prototype = Object.getPrototypeOf(Uint8Array.prototype) as Bytes
  const { set, indexOf } = prototype
  const work = { copied: 0, searched: 0 }
  prototype.set = function (this: Uint8Array, from: ArrayLike<number>, offset?: number): void {
    work.copied += from.length
    set.call(this, from, offset)
  }
  prototype.indexOf = function (this: Uint8Array, byte: number, from = 0): number {
    const found = indexOf.call(this, byte, from)
    work.searched += (found === -1 ? this.length : found) - from
    return found
  }
  try {
    run()
  } finally {
    Object.assign(prototype, { set, indexOf })
  }
  return work
}

describe('work is linear', () => {
  const size = 1 << 20

  test('for one large event in small chunks', () => {
    const decoder = new SseDecoder()
    const piece = new Uint8Array(64).fill(120)
    const work = countWork(() => {
      decoder.feed(encode('data: '))
      for (let bytes = 0; bytes < size; bytes += piece.length) decoder.feed(piece)
      expect(decoder.feed(encode('\n\n'))[0]?.length).toBe(size)
    })
    expect(work.copied).toBeLessThan(4 * size)
    expect(work.searched).toBeLessThan(3 * size)
  })

  test.each(['\n', '\r', '\r\n'])('for many short lines in one chunk, ended by %j', (lineEnd) => {
    const chunk = encode(`data: x${lineEnd}`.repeat(size / 16))
    const work = countWork(() => {
      expect(new SseDecoder().feed(chunk)).toEqual([])
    })
    expect(work.copied).toBeLessThan(4 * chunk.length)
    expect(work.searched).toBeLessThan(3 * chunk.length)
  })

  test('and the usual event, one line in one chunk, is not copied', () => {
    const chunk = encode(`data: ${'x'.repeat(1000)}\n\n`.repeat(50))
    const work = countWork(() => {
      expect(new SseDecoder().feed(chunk)).toHaveLength(50)
    })
    expect(work.copied).toBe(0)
  })
})

describe('parseEvent', () => {
  // rules: speech-events.dispatch-on-type
  test('an event keeps every field', () => {
    expect(parseEvent(encode('{"type":"new.kind","n":1,"deep":{"a":[null]}}'))).toEqual({
      type: 'new.kind',
      n: 1,
      deep: { a: [null] },
    })
  })

  test.each(['', '[DONE]', '{"type":"x"', '{"type":"x"} x', "{'type':'x'}"])('%j is not valid JSON', (data) => {
    expect(() => parseEvent(encode(data))).toThrow(new ProtocolError('A stream event is not valid JSON'))
  })

  test.each(['{}', 'null', '1', '"type"', '[]', '{"type":1}', '{"type":null}'])('%j has no type', (data) => {
    expect(() => parseEvent(encode(data))).toThrow(new ProtocolError('A stream event has no type'))
  })

  test('bytes that are no UTF-8 are refused, not replaced', () => {
    expect(() => parseEvent(Uint8Array.from([...encode('{"type":"'), 0xff, ...encode('"}')]))).toThrow(ProtocolError)
  })
})

// rules: speech-events.delta, speech-events.empty-delta
describe('decodeDelta', () => {
  test.each([undefined, null, 1, {}, '?', 'AAAAA'])('%j is no audio', (audio) => {
    expect(() => decodeDelta(audio)).toThrow(ProtocolError)
  })

  test('an empty string is no bytes', () => {
    expect(decodeDelta('').length).toBe(0)
  })
})

/** What a stream reader makes of an event, by the short way or the long one. */
function read(data: Uint8Array, way: (data: Uint8Array) => Uint8Array | undefined): number[] | 'refused' {
  try {
    const audio = way(data)
    return audio === undefined ? 'refused' : [...audio]
  } catch (error) {
    if (error instanceof ProtocolError) return 'refused'
    throw error
  }
}

const slow = (data: Uint8Array): Uint8Array => decodeDelta(parseEvent(data)['audio'])
const fastOrSlow = (data: Uint8Array): Uint8Array => fastDelta(data) ?? slow(data)

/** One value of JSON in another spelling: characters escaped, or not. */
const spelled = (value: string): fc.Arbitrary<string> =>
  fc.array(fc.boolean(), { minLength: value.length, maxLength: value.length }).map((escaped) => {
    const characters = Array.from(value, (character, index) => {
      if (escaped[index] !== true) return character
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
    return `"${characters.join('').replaceAll('/', '\\/')}"`
  })

const space = fc.constantFrom('', '', '', ' ', '\t', '  ')
const base64 = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('base64'))

const anyDelta = base64.chain((audio) => {
  const type = fc.oneof(fc.constant('"speech.audio.delta"'), spelled('speech.audio.delta'))
  const value = fc.oneof(fc.constant(`"${audio}"`), spelled(audio))
  const others = fc.array(
    fc.constantFrom('"index":3', '"note":"a \\"quoted\\" }"', '"x":{"audio":"AAAA"}', '"audio2":""'),
  )
  return fc.tuple(type, value, others, fc.boolean(), space, space).chain(([t, v, rest, first, s1, s2]) => {
    const fields = [`"type"${s1}:${s2}${t}`, `"audio"${s2}:${s1}${v}`, ...rest]
    const ordered = first ? fc.constant(fields) : fc.shuffledSubarray(fields, { minLength: fields.length })
    return ordered.map((all) => ({ audio, json: `${s1}{${s2}${all.join(`${s1},${s2}`)}}${s1}` }))
  })
})

describe('fastDelta', () => {
  test('a delta in any spelling, spacing and order gives the same bytes as the JSON parser', () => {
    fc.assert(
      fc.property(anyDelta, ({ audio, json }) => {
        expect(read(encode(json), fastOrSlow)).toEqual([...Buffer.from(audio, 'base64')])
      }),
      { numRuns: 1000 },
    )
  })

  test('whatever lies between the usual start and end is read as the JSON parser reads it', () => {
    const piece = fc.constantFrom(
      'A',
      'QUJD',
      '=',
      '"',
      '\\',
      ',"audio":"QQ==',
      '","x":"',
      '}',
      'é',
      '\n',
      ' ',
      '\\u0041',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const data = encode(`{"type":"speech.audio.delta","audio":"${pieces.join('')}"}`)
        expect(read(data, fastOrSlow)).toEqual(read(data, slow))
      }),
      { numRuns: 2000 },
    )
  })

  test('the usual spelling does not need the JSON parser', () => {
    expect(fastDelta(encode('{"type":"speech.audio.delta","audio":"AQID"}'))).toEqual(Buffer.from([1, 2, 3]))
    expect(fastDelta(encode('{"type":"speech.audio.delta","audio":""}'))?.length).toBe(0)
  })

  test.each(['{"type":"speech.audio.done"}', '{"type":"speech.audio.delta","audio":"', '', '"}'])(
    '%j is left to the JSON parser',
    (data) => {
      expect(fastDelta(encode(data))).toBeUndefined()
    },
  )

  test('a delta in the middle of a larger buffer is read without its surroundings', () => {
    const whole = encode('xx{"type":"speech.audio.delta","audio":"AQID"}yy')
    expect(fastDelta(whole.subarray(2, -2))).toEqual(Buffer.from([1, 2, 3]))
  })
})
