import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineDrivers } from '@svc-audio/engine-ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { evaluate, type EvaluateOptions, evaluationText } from './evaluate.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-eval-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open: string[] = []

/** Engines whose speech is its text: a recognizer that takes half a second for each, and hears `won` for `one`. */
function scriptedEngines(clock: { now: number }): Pick<EngineDrivers, 'speech' | 'recognition' | 'diarization'> {
  const closing = (name: string) => {
    open.push(name)
    return async () => void open.splice(open.indexOf(name), 1)
  }
  return {
    speech: {
      name: 'voices',
      voices: [],
      create: async () => ({
        name: 'voices',
        voices: ['a', 'b'].map((id) => ({ id, name: id, language: 'en' })),
        async synthesize({ text }) {
          async function* chunks(): AsyncGenerator<Uint8Array> {
            clock.now += 250
            yield Buffer.from(text)
            clock.now += 750
          }
          return { format: { sampleRate: 24_000, channels: 1, bitDepth: 16 }, chunks: chunks() }
        },
        close: closing('speech'),
      }),
    },
    recognition: {
      name: 'ears',
      create: async () => ({
        name: 'ears',
        async recognize(pcm, { onWords } = {}) {
          let text = ''
          for await (const chunk of pcm) text += Buffer.from(chunk).toString().replaceAll('\0', '')
          clock.now += 200
          onWords?.([])
          clock.now += 300
          return { text: text.replace('one', 'won'), words: [], durationSeconds: 1 }
        },
        close: closing('recognition'),
      }),
    },
    diarization: {
      name: 'prints',
      create: async () => ({
        name: 'prints',
        diarize: async () => ({ segments: [{ startSecond: 0, endSecond: 1, speaker: 'S01' }], durationSeconds: 1 }),
        close: closing('diarization'),
      }),
    },
  }
}

/** A file is decoded to a second with the text `one two`. */
function optionsOf(given: Partial<EvaluateOptions> = {}): EvaluateOptions {
  const clock = { now: 0 }
  async function* decode(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([Buffer.from('one two'), Buffer.alloc(32_000 - 7)])
  }
  const toPcm: EvaluateOptions['toPcm'] = async ({ chunks }) => {
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts)
  }
  return { folder, drivers: scriptedEngines(clock), decode, toPcm, now: () => clock.now, ...given }
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

describe('evaluate', () => {
  test('each recording with a transcript is measured, and its speakers if it has an RTTM file', async () => {
    await write({
      'b.mp3': '',
      'b.txt': 'One two.',
      'a.wav': '',
      'a.txt': 'One two three four.\n',
      'a.rttm': 'SPEAKER a 1 0 2 <NA> <NA> ann',
      'c.wav': '',
      'notes.txt': 'no recording',
    })
    const result = await evaluate(optionsOf())
    expect(result.recordings).toEqual([
      {
        name: 'a',
        seconds: 1,
        wordErrors: 3,
        words: 4,
        characterErrors: 11,
        characters: 15,
        workSeconds: 0.5,
        firstSeconds: 0.2,
        speakers: { errorSeconds: 1, speechSeconds: 2 },
      },
      expect.objectContaining({ name: 'b', wordErrors: 1, words: 2, speakers: undefined }),
    ])
    expect(result).toMatchObject({ recognition: 'ears', diarization: 'prints', speech: undefined, voices: [] })
    expect(open).toEqual([])
    expect(evaluationText(result)).toBe(
      [
        'Recognition by ears, speakers by prints',
        'recording  length  word errors  character errors  work/length  first text  speaker errors',
        'a          1.00 s  75.0 %       73.3 %            0.50         0.20 s      50.0 %',
        'b          1.00 s  50.0 %       33.3 %            0.50         0.20 s      -',
        'all        2.00 s  66.7 %       61.9 %            0.50         0.20 s      50.0 %',
        '',
      ].join('\n'),
    )
  })

  test('voices speak the transcripts and are recognized again', async () => {
    await write({ 'a.wav': '', 'a.txt': 'one two' })
    const { voices, speech } = await evaluate(optionsOf({ voices: 'all' }))
    expect(speech).toBe('voices')
    expect(voices.map(({ voice }) => voice)).toEqual(['a', 'b'])
    expect(voices[0]).toMatchObject({ wordErrors: 1, words: 2, workSeconds: 1, firstSeconds: 0.25 })
    expect(open).toEqual([])
  })

  test('voices can be measured alone', async () => {
    await write({ 'a.wav': '', 'a.txt': 'one two' })
    const { voices, recordings } = await evaluate(optionsOf({ voices: ['b'], isVoicesAlone: true }))
    expect(recordings).toEqual([])
    expect(voices).toMatchObject([{ voice: 'b', wordErrors: 1, words: 2 }])
  })

  test.each<[string, Readonly<Record<string, string>>, Partial<EvaluateOptions>, string]>([
    ['a folder without transcripts', { 'a.wav': '' }, {}, 'has no recording with a transcript: a.wav needs a.txt'],
    ['a missing folder', {}, { folder: '/no/such/folder' }, '/no/such/folder is no folder'],
    ['an unknown voice', { 'a.wav': '', 'a.txt': 'x' }, { voices: ['c'] }, 'voices has no voice c: it has a, b'],
    ['a wrong RTTM file', { 'a.wav': '', 'a.txt': 'x', 'a.rttm': 'SPEAKER' }, {}, 'a.rttm: line 1 must be'],
  ])('%s is named with its remedy', async (_, files, options, message) => {
    await write(files)
    await expect(evaluate(optionsOf(options))).rejects.toThrow(message)
    expect(open).toEqual([])
  })
})
