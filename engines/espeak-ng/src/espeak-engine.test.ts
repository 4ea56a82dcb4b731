import { readFile } from 'node:fs/promises'
import {
  EngineFailedError,
  type SpeechEngine,
  type SynthesisRequest,
  UnspeakableTextError,
} from '@svc-audio/engine-ports'
import { speechContract } from '@svc-audio/engine-ports/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { type EspeakFault, type ScriptedEspeak, scriptEspeak } from '../test/scripted-espeak.ts'
import { createEspeakDriver, createEspeakEngine, type EspeakOptions } from './espeak-engine.ts'

let scripted: ScriptedEspeak | undefined

async function program(fault?: EspeakFault): Promise<ScriptedEspeak> {
  scripted = await scriptEspeak(fault)
  return scripted
}

afterEach(() => scripted?.remove())

/** What the program was told for each text but the first word. */
async function runs({ log }: ScriptedEspeak): Promise<[string, string][]> {
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
  const all = Array.from({ length: lines.length / 2 }, (_, index): [string, string] => [
    lines[2 * index] ?? '',
    lines[2 * index + 1] ?? '',
  ])
  return all.slice(1)
}

/** Speaks a text. @returns The voice and the text of each run */
async function spoken(
  text: string,
  request: Partial<SynthesisRequest> = {},
  options: EspeakOptions = {},
): Promise<[string | undefined, string][]> {
  const made = await program()
  const engine = await createEspeakEngine({ program: made.program, ...options })
  try {
    const { chunks } = await engine.synthesize({ text, voiceId: 'espeak', ...request })
    await gather(chunks)
  } finally {
    await engine.close()
  }
  // Two sentences are made at a time.
  const inOrder = (await runs(made)).toSorted(([, a], [, b]) => text.indexOf(a) - text.indexOf(b))
  return inOrder.map(([args, sentence]) => [args.split(' ')[1], sentence])
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

describe('espeak-ng keeps the contract of speech', () => {
  test.each(speechContract)('$name', async ({ run }) => {
    const { program: path } = await program()
    const create = (): Promise<SpeechEngine> => createEspeakEngine({ program: path, languages: ['en-us', 'ru'] })
    await expect(run({ create, text: 'One two. Three four.', unspeakable: '… !' })).resolves.toBeUndefined()
  })
})

describe('espeak-ng', () => {
  test('a text goes to standard input, and never to the command line', async () => {
    const made = await program()
    const engine = await createEspeakEngine({ program: made.program, variant: 'f3' })
    await gather((await engine.synthesize({ text: ' A secret. ', voiceId: 'espeak-en', speed: 2 })).chunks)
    expect(await runs(made)).toEqual([['-v gmw/en+f3 -b 1 -z --stdin --stdout', 'A secret.']])
  })

  test('each sentence has the voice of its script', async () => {
    expect(await spoken('Hello. Привет. 世界。こんにちは世界。7 8.')).toEqual([
      ['gmw/en', 'Hello.'],
      ['zle/ru', 'Привет.'],
      ['sit/cmn', '世界。'],
      ['jpx/ja', 'こんにちは世界。'],
      ['gmw/en', '7 8.'],
    ])
  })

  test('a sentence in a script of its language has the voice of that language', async () => {
    expect(await spoken('Guten Tag. Привет.', { language: 'de-AT' })).toEqual([
      ['gmw/de', 'Guten Tag.'],
      ['zle/ru', 'Привет.'],
    ])
    expect(await spoken('Hello.', { language: 'en-US' })).toEqual([['gmw/en-US', 'Hello.']])
    expect(await spoken('Здраво.', { language: 'sr' })).toEqual([['zls/sr', 'Здраво.']])
  })

  test('a voice speaks every sentence that has a letter for it', async () => {
    expect(await spoken('Hello. Привет.', { voiceId: 'espeak-de' })).toEqual([
      ['gmw/de', 'Hello.'],
      ['gmw/de', 'Привет.'],
    ])
  })

  test('what the program reads as a command is text', async () => {
    expect(await spoken('One [[h@loU]] \u0001120S two\u0007.')).toEqual([['gmw/en', 'One [ [h@loU]]  120S two .']])
  })

  test.each([
    ['… !', 'espeak', 'The input has no letters or digits to speak'],
    ['Привет.', 'espeak-de', 'The voice espeak-de does not read Cyrillic letters. Choose a voice of: ru, sr'],
    [
      'สวัสดี',
      'espeak',
      'No voice of espeak-ng reads the letters of the input. Languages to be had: de, en, ja, ru, sr, zh',
    ],
    [
      'สวัสดี',
      'espeak-de',
      'The voice espeak-de does not read the letters of the input. No voice of espeak-ng reads them',
    ],
  ])(
    '%s by the voice %s is unspeakable, and the error names the languages that could be had',
    async (text, voiceId, message) => {
      await expect(spoken(text, { voiceId })).rejects.toThrow(new UnspeakableTextError(message))
    },
  )

  test('an abort kills the program, and the next read throws its reason', async () => {
    const { program: path } = await program('hangs')
    const engine = await createEspeakEngine({ program: path })
    const controller = new AbortController()
    const { chunks } = await engine.synthesize({ text: 'Hello.', voiceId: 'espeak' }, { signal: controller.signal })
    const reading = chunks[Symbol.asyncIterator]().next()
    const reason = new Error('the caller aborted')
    controller.abort(reason)
    await expect(reading).rejects.toBe(reason)
  })

  test.each([
    ['fails', 'ended with code 3: the voice is broken'],
    ['no WAV', 'espeak-ng wrote no WAV'],
    ['another rate for de', 'The voice espeak-de speaks at 22144 Hz, the others at 22050 Hz'],
  ] as const)('a program that %s fails this speech only', async (fault, message) => {
    const { program: path } = await program(fault)
    const engine = await createEspeakEngine({ program: path })
    const { chunks } = await engine.synthesize({ text: 'Hello.', voiceId: 'espeak-de' })
    await expect(gather(chunks)).rejects.toThrow(EngineFailedError)
    const again = await engine.synthesize({ text: 'Hello.', voiceId: 'espeak-de' })
    await expect(gather(again.chunks)).rejects.toThrow(message)
  })

  test('a missing program is one line with the remedy', async () => {
    await expect(createEspeakEngine({ program: 'no-such-espeak' })).rejects.toThrow(
      'no-such-espeak is not on this machine: install it (Debian: apt-get install espeak-ng), or name its path in `program`',
    )
  })

  test('languages without a voice are named', async () => {
    const { program: path } = await program()
    await expect(createEspeakEngine({ program: path, languages: ['fr'] })).rejects.toThrow('lists no voice of fr')
  })

  test('a driver lists the voices of the program before its engine works', async () => {
    const { program: path } = await program()
    const driver = await createEspeakDriver({ program: path, languages: ['de'], idPrefix: 'e.', name: 'last' })
    expect(driver).toMatchObject({ name: 'last', voices: [{ id: 'e', language: 'de' }, { id: 'e.de' }] })
    const engine = await driver.create({ signal: new AbortController().signal, workers: 1 })
    expect(engine.voices).toEqual(driver.voices)
    await engine.close()
  })
})
