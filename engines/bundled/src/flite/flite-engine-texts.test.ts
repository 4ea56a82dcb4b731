import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type SpeechEngine, type Turns, UnspeakableTextError } from '@svc-audio/engine-ports'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { BACKGROUND_PRIORITY } from '@svc-audio/engine-ports/driver'
import { type StartThread, threadHere } from '../threads/thread.ts'
import { createFliteEngine } from './flite-engine.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Hostile texts of a client. Flite must only read them aloud. */
describe('the flite engine given', () => {
  let engine: SpeechEngine
  beforeAll(async () => {
    engine = await createFliteEngine({ workers: 2 })
  })
  afterAll(async () => engine.close())

  async function speak(text: string, voiceId = 'rms', speed = 1): Promise<Buffer> {
    const { chunks } = await engine.synthesize({ text, voiceId, speed })
    return Buffer.concat(await collect(chunks))
  }

  test.each([
    '-voice slt',
    '-h',
    '--help',
    '-lv',
    '-l',
    '-b',
    '-o /tmp/x',
    '--version',
    '-ssml <speak>Hi</speak>',
    '/etc/passwd',
    '../package.json',
    'none',
    'play',
    'output',
    '<speak>Hi</speak>',
    '<?xml version="1.0"?><!DOCTYPE a>',
    '&amp; &#0;',
    '%s%n%d %x',
    '$(reboot) `id`',
    'duration_stretch=9',
    '3.14159',
    '1234567890',
    '12:30',
    'x',
    'I',
    '%',
    '\uFEFFbyte order',
    '\u202Eright to left',
    'half \uD800 pair',
    'pau:1.0 hh:0.1',
  ])('%j reads it aloud', async (text) => {
    const pcm = await speak(text)
    const samples = new Int16Array(new Uint8Array(pcm).buffer)
    expect(samples.length / 16_000).toBeGreaterThan(0.1)
    expect(samples.length / 16_000).toBeLessThan(15)
    expect(samples.some((sample) => Math.abs(sample) > 1000)).toBe(true)
  })

  test('options obeys none of them', async () => {
    // The same words without dashes give the same audio, in the same voice.
    expect(Buffer.compare(await speak('-voice slt'), await speak('voice slt'))).toBe(0)
    expect(Buffer.compare(await speak('--help'), await speak('help'))).toBe(0)
  })

  test('NUL and other control characters reads the text around them', async () => {
    expect(Buffer.compare(await speak('Hello\0there\u0007.'), await speak('Hello there .'))).toBe(0)
  })

  test('typographic signs and accents reads their plain forms', async () => {
    expect(Buffer.compare(await speak('“It’s a naïve café”'), await speak(`"It's a naive cafe"`))).toBe(0)
  })

  test('emoji and other scripts beside English omits them', async () => {
    expect(Buffer.compare(await speak('Hello 😀 世界 world'), await speak('Hello world'))).toBe(0)
  })

  test.each(['...', '😀👍🏽', '世界。', 'Привет', '\0\0', '--', '“”', '?!', '*****'])(
    '%j refuses it, because nothing would be heard',
    async (text) => {
      await expect(engine.synthesize({ text, voiceId: 'rms' })).rejects.toThrow(UnspeakableTextError)
      const pause = await engine.synthesize({ text: `${text} [pause 0.1s]`, voiceId: 'rms', pauses: true })
      expect(Buffer.concat(await collect(pause.chunks))).toEqual(Buffer.alloc(3200))
    },
  )

  test.each([
    ['letters without a space', 'a'.repeat(100_000)],
    ['digits', '7'.repeat(100_000)],
    ['consonants', 'xkcd'.repeat(25_000)],
    ['sentences', 'Hello Dr. Smith. '.repeat(6000)],
    ['initials', 'J. '.repeat(33_000)],
    ['lines', 'and so on\n'.repeat(10_000)],
    ['signs', '%$ '.repeat(33_000)],
  ])('100,000 characters of %s starts to speak', async (_, text) => {
    const { chunks } = await engine.synthesize({ text, voiceId: 'kal16', speed: 4 })
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > 500_000) break
    }
    expect(bytes).toBeGreaterThan(500_000)
  })

  test('a word of 3,000 letters reads it to its end', async () => {
    const pcm = await speak('banana'.repeat(500), 'kal16', 4)
    expect(pcm.length / 32_000).toBeGreaterThan(40)
  })
})

test.runIf(threadsHavePriorities)('background work is spoken by a thread of a lower priority', async () => {
  const engine = await createFliteEngine({ workers: 1 })
  const speak = async (background: boolean): Promise<Buffer> => {
    const turns: Turns = (_cost, _signal, work) => work({ background })
    const { chunks } = await engine.synthesize({ text: 'Hello.', voiceId: 'rms' }, { turns })
    return Buffer.concat(await collect(chunks))
  }
  const speech = await speak(false)
  expect(prioritiesOf(process.pid)).not.toContain(BACKGROUND_PRIORITY)
  expect(await speak(true)).toEqual(speech)
  expect(prioritiesOf(process.pid)).toContain(BACKGROUND_PRIORITY)
  await engine.close()
})

/** An engine of two threads of each kind, and the number of its threads. */
async function createCountedEngine(): Promise<{
  readonly count: { started: number; alive: number }
  readonly speak: (background: boolean) => Promise<void>
  readonly close: () => Promise<void>
}> {
  const count = { started: 0, alive: 0 }
  const startThread: StartThread = (entry, options) => {
    const thread = threadHere<never>(entry, options)
    count.started += 1
    count.alive += 1
    thread.on('exit', () => (count.alive -= 1))
    return thread
  }
  const engine = await createFliteEngine({ workers: 2, startThread })
  const speak = async (background: boolean): Promise<void> => {
    const turns: Turns = (_cost, _signal, work) => work({ background })
    const { chunks } = await engine.synthesize({ text: 'Hello.', voiceId: 'rms' }, { turns })
    await collect(chunks)
  }
  return { count, speak, close: engine.close.bind(engine) }
}

/** A thread exits on its own time, which is long beside other work. */
const patient = { timeout: 20_000 }

test('threads for background work take the place of idle ones', async () => {
  const { count, speak, close } = await createCountedEngine()
  await Promise.all([speak(false), speak(false)])
  await Promise.all([speak(true), speak(true)])
  await expect.poll(() => count, patient).toEqual({ started: 4, alive: 3 })
  // One thread for other work has stayed.
  await Promise.all([speak(false), speak(false)])
  await expect.poll(() => count, patient).toEqual({ started: 5, alive: 3 })
  await close()
  await expect.poll(() => count.alive, patient).toBe(0)
})

test('a thread that was busy when its place was needed ends once it is idle', async () => {
  const { count, speak, close } = await createCountedEngine()
  await Promise.all([speak(false), speak(false), speak(true), speak(true)])
  expect(count.started).toBe(4)
  await expect.poll(() => count.alive, patient).toBe(3)
  await close()
})
