import { describe, expect, test } from 'vitest'
import { scriptedEngine } from '../../test/support/scripted-engine.ts'
import type { ServedSpeech } from '../ports/engines.ts'
import { type DialogueLine, GAP_SECONDS, gapAfter, synthesizeDialogue } from './dialogue.ts'

const never = new AbortController().signal
const line = (text: string, speaker = 'a', voiceId = 'one'): DialogueLine => ({ text, speaker, voiceId })

/** The words of a scripted engine, and silence as its length in milliseconds. */
async function heard(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let script = ''
  for await (const chunk of chunks) {
    script += chunk[1] === 1 ? String.fromCharCode(chunk[0] ?? 0) : `[${chunk.length / 2}]`
  }
  return script
}

describe('synthesizeDialogue', () => {
  test('lines have gaps between them and none at the end', async () => {
    const lines = [line('Why?'), line('No.', 'b', 'two'), line('So.', 'b', 'two'), line('Oh!')]
    const { chunks, format } = await synthesizeDialogue(scriptedEngine(), lines, { signal: never })
    expect(format.sampleRate).toBe(1000)
    expect(await heard(chunks)).toBe('Why?[300]No.[300]So.[450]Oh!')
  })

  test('each line is spoken by the voice of its speaker', async () => {
    const engine = scriptedEngine()
    const { chunks } = await synthesizeDialogue(engine, [line('A'), line('B', 'b', 'two')], { signal: never })
    await heard(chunks)
    expect(engine.accepted.slice(-2)).toEqual([
      { text: 'A', voiceId: 'one' },
      { text: 'B', voiceId: 'two' },
    ])
  })

  test('voices with several sample rates have the highest', async () => {
    const engine: ServedSpeech = {
      voices: [],
      synthesize: async ({ voiceId }) => ({
        format: { sampleRate: voiceId === 'one' ? 1000 : 2000, channels: 1, bitDepth: 16 },
        chunks: (async function* () {
          yield new Uint8Array(new Int16Array(100).fill(1000).buffer)
        })(),
      }),
    }
    const { chunks, format } = await synthesizeDialogue(engine, [line('A'), line('B.', 'b', 'two')], { signal: never })
    expect(format.sampleRate).toBe(2000)
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    const samples = new Int16Array(new Uint8Array(Buffer.concat(parts)).buffer)
    const speech = 200
    const gap = 2000 * GAP_SECONDS.statement
    expect(Math.abs(samples.length - speech - gap - 100)).toBeLessThan(30)
    expect(samples[100]).toBeGreaterThan(900)
    expect(samples.at(-1)).toBe(1000)
  })

  test('lines are spoken on demand, one at a time', async () => {
    const engine = scriptedEngine()
    const { chunks } = await synthesizeDialogue(engine, [line('Ab'), line('Cd'), line('Ef')], { signal: never })
    expect(engine.begun).toEqual([])
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    expect(engine.begun).toEqual(['Ab'])
    await reader.next()
    await reader.next()
    expect(engine.ended).toEqual(['Ab'])
    await reader.next()
    expect(engine.begun).toEqual(['Ab', 'Cd'])
  })

  test('a disconnect ends the current line and starts no other', async () => {
    const engine = scriptedEngine()
    const { chunks } = await synthesizeDialogue(engine, [line('Abc'), line('Def')], { signal: never })
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    await reader.return?.()
    expect(engine.begun).toEqual(['Abc'])
    expect(engine.ended).toEqual(['Abc'])
  })

  test('an abort in the middle rejects with its reason', async () => {
    const engine = scriptedEngine()
    const controller = new AbortController()
    const { chunks } = await synthesizeDialogue(engine, [line('Abc'), line('Def')], { signal: controller.signal })
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    controller.abort('left')
    await expect(reader.next()).rejects.toBe('left')
    expect(engine.ended).toEqual(['Abc'])
  })

  test('an unspeakable line is refused by its number before any speech', async () => {
    const engine = scriptedEngine()
    const failed = synthesizeDialogue(engine, [line('Fine.'), line('...')], { signal: never })
    await expect(failed).rejects.toMatchObject({ status: 400, code: 'unspeakable_text', param: 'segments[1].text' })
    expect(engine.begun).toEqual([])
  })

  test('other errors of the engine are thrown unchanged', async () => {
    const engine = { ...scriptedEngine(), synthesize: async () => Promise.reject(new RangeError('broken')) }
    await expect(synthesizeDialogue(engine, [line('Fine.')], { signal: never })).rejects.toThrow(RangeError)
  })

  test('other requests get a turn while many lines are checked, and an abort ends the check', async () => {
    const controller = new AbortController()
    const many = Array.from({ length: 5000 }, () => line('Yes.'))
    const engine = scriptedEngine()
    const looking = synthesizeDialogue(engine, many, { signal: controller.signal })
    setImmediate(() => controller.abort('left'))
    await expect(looking).rejects.toBe('left')
    expect(engine.accepted.length).toBeLessThan(1000)
  })
})

const gap = (text: string, speakers: readonly [string, string] = ['a', 'b']): number =>
  gapAfter({ speaker: speakers[0], voiceId: 'rms', text }, { speaker: speakers[1], voiceId: 'rms', text: 'Yes.' })

describe('gapAfter', () => {
  const rows: [text: string, gap: keyof typeof GAP_SECONDS][] = [
    ['It is late.', 'statement'],
    ['It is late', 'statement'],
    ['Is it late?', 'question'],
    ['Is it late?!', 'question'],
    ['它晚了吗？', 'question'],
    ['Late!', 'exclamation'],
    ['I thought…', 'trailingOff'],
    ['I thought...', 'trailingOff'],
    ['But I —', 'brokenOff'],
    ['But I-', 'brokenOff'],
    ['When it is late,', 'brokenOff'],
    ['He asked: “Is it late?”', 'question'],
    ['(Late!) \n', 'exclamation'],
    ['"', 'statement'],
  ]
  test.each(rows)('the gap after %j is that of a %s', (text, name) => {
    expect(gap(text)).toBe(GAP_SECONDS[name])
  })

  test('the gap before the same speaker does not depend on the end of the line', () => {
    for (const text of ['Late.', 'Late?', 'Late…']) expect(gap(text, ['a', 'a'])).toBe(GAP_SECONDS.sameSpeaker)
  })

  test('two speakers with one voice are two speakers', () => {
    expect(gap('Late.')).not.toBe(GAP_SECONDS.sameSpeaker)
  })

  test('every gap is between a quarter and six tenths of a second', () => {
    for (const seconds of Object.values(GAP_SECONDS)) {
      expect(seconds).toBeGreaterThanOrEqual(0.25)
      expect(seconds).toBeLessThanOrEqual(0.6)
    }
  })

  test('a long end without punctuation is fast', () => {
    expect(gap(' '.repeat(100_000))).toBe(GAP_SECONDS.statement)
  })
})
