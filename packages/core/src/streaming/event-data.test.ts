import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../errors/service-errors.ts'
import { decodeDelta, fastDelta, parseEvent } from './event-data.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

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
const spelled = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((escaped) => {
    const characters = Array.from(text, (character, index) => {
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
