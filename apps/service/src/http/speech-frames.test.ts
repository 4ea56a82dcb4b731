import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { UnspeakableTextError } from '@svc-audio/engine-ports'
import { speechFrames } from './speech-frames.ts'

const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** Counts the reads and the cancellations of a speech. */
let calls: { next: number; return: number }
beforeEach(() => {
  calls = { next: 0, return: 0 }
})

/** A speech of these chunks that ends or fails after them. */
function frames(chunks: readonly Uint8Array[], failure?: Error): AsyncIterable<string> {
  const rest = [...chunks]
  const speech: AsyncIterator<Uint8Array> = {
    async next() {
      calls.next += 1
      const value = rest.shift()
      if (value !== undefined) return { done: false, value }
      if (failure !== undefined) throw failure
      return { done: true, value }
    },
    async return() {
      calls.return += 1
      return { done: true, value: undefined }
    },
  }
  return speechFrames({ taskId: 'task_1', format, chunks: { [Symbol.asyncIterator]: () => speech } }, 'the-model')
}

async function read(all: AsyncIterable<string>): Promise<unknown[]> {
  let text = ''
  for await (const frame of all) text += frame
  const events = text.trimEnd().split('\n\n')
  return events.map((event) => JSON.parse(event.slice('data: '.length)) as unknown)
}

const FIRST = [
  { type: 'task.created', task_id: 'task_1', object: 'audio.speech', status: 'PROCESSING', model: 'the-model' },
  { type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 },
]
const delta = (text: string) => ({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') })

describe('speech frames', () => {
  test('are the task, the format, the audio and the end', async () => {
    const whole = Buffer.from('abcdef')
    // A chunk may be a view of a larger buffer.
    const all = await read(frames([whole.subarray(2, 4), Buffer.from('')]))
    expect(all).toEqual([...FIRST, delta('cd'), delta(''), { type: 'speech.audio.done' }])
    expect(calls).toEqual({ next: 3, return: 0 })
  })

  test('of a failed speech end with one error, which reveals only client errors', async () => {
    const secret = await read(frames([Buffer.from('ab')], new Error('/srv/secret')))
    const error = { code: 'internal_error', message: expect.not.stringContaining('secret') }
    expect(secret).toEqual([...FIRST, delta('ab'), { type: 'error', error }])
    const refused = await read(frames([], new UnspeakableTextError('Nothing to say')))
    expect(refused.at(-1)).toEqual({ type: 'error', error: { code: 'unspeakable_text', message: 'Nothing to say' } })
  })

  test('end without another read of the speech', async () => {
    for (const failure of [undefined, new Error('broken')]) {
      calls.next = 0
      const reader = frames([], failure)[Symbol.asyncIterator]()
      for (let frame = 0; frame < 2; frame += 1) expect((await reader.next()).done).toBe(false)
      expect(await reader.next()).toEqual({ done: true, value: undefined })
      expect(calls.next).toBe(1)
    }
  })
})

describe('a disconnect cancels the speech once', () => {
  const rows: [when: string, reads: number][] = [
    ['before the first frame', 0],
    ['at the first frame', 1],
    ['in the middle', 2],
  ]

  test.each(rows)('%s', async (_when, reads) => {
    const reader = frames([Buffer.from('ab'), Buffer.from('cd')])[Symbol.asyncIterator]()
    for (let frame = 0; frame < reads; frame += 1) expect((await reader.next()).done).toBe(false)
    const asked = calls.next
    expect(await reader.return?.()).toEqual({ done: true, value: undefined })
    expect(calls).toEqual({ next: asked, return: 1 })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(calls.next).toBe(asked)
  })

  test.each([undefined, new Error('the connection was cut')])('when the stream is destroyed with %s', async (error) => {
    const stream = Readable.from(frames([Buffer.from('ab')]), { objectMode: false })
    stream.on('error', () => undefined)
    stream.destroy(error)
    await settle()
    expect(calls).toEqual({ next: 0, return: 1 })
  })

  test('during a read, whose chunk is the last one', async () => {
    const reader = frames([Buffer.from('ab'), Buffer.from('cd')])[Symbol.asyncIterator]()
    await reader.next()
    const [last] = await Promise.all([reader.next(), reader.return?.()])
    expect(last.done).toBe(false)
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(calls).toEqual({ next: 1, return: 1 })
  })
})
