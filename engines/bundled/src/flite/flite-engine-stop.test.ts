import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { promisify } from 'node:util'

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { EngineClosedError, type SpeechEngine } from '@svc-audio/engine-ports'
import { createFliteEngine } from './flite-engine.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

const LONG = 'This is one of very many sentences in a long text. '.repeat(200)
const SHORT = 'Hello there. How are you?'

describe('the flite engine', () => {
  let engine: SpeechEngine
  beforeEach(async () => {
    engine = await createFliteEngine({ workers: 1 })
  })
  afterEach(async () => engine.close())

  async function speak(text: string, voiceId = 'rms', signal?: AbortSignal): Promise<Buffer> {
    const { chunks } = await engine.synthesize({ text, voiceId }, signal === undefined ? {} : { signal })
    return Buffer.concat(await collect(chunks))
  }

  test('an aborted signal refuses the request', async () => {
    await expect(speak(SHORT, 'rms', AbortSignal.abort('too late'))).rejects.toBe('too late')
  })

  test('an abort before the first read rejects it', async () => {
    const controller = new AbortController()
    const { chunks } = await engine.synthesize({ text: SHORT, voiceId: 'rms' }, { signal: controller.signal })
    controller.abort('stop')
    await expect(collect(chunks)).rejects.toBe('stop')
  })

  test('an abort in the queue rejects with its reason, and other requests are spoken', async () => {
    const alone = await speak(SHORT)
    const controller = new AbortController()
    const queued = await engine.synthesize({ text: LONG, voiceId: 'slt' }, { signal: controller.signal })
    const first = speak(SHORT)
    const aborted = queued.chunks[Symbol.asyncIterator]().next()
    const last = speak(SHORT)
    controller.abort('stop')
    await expect(aborted).rejects.toBe('stop')
    expect(Buffer.compare(await first, alone)).toBe(0)
    expect(Buffer.compare(await last, alone)).toBe(0)
  })

  test('an abort in the middle rejects the next read and frees the thread', async () => {
    const controller = new AbortController()
    const { chunks } = await engine.synthesize({ text: LONG, voiceId: 'rms' }, { signal: controller.signal })
    let read = 0
    const reading = (async () => {
      for await (const chunk of chunks) {
        read += chunk.length
        if (read > 100_000) controller.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(read).toBeLessThan(120_000)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    expect((await speak(SHORT)).length).toBeGreaterThan(32_000)
  })

  test('a reader that stops early stops the work and frees the thread', async () => {
    const controller = new AbortController()
    const { chunks } = await engine.synthesize({ text: LONG, voiceId: 'rms' }, { signal: controller.signal })
    for await (const chunk of chunks) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    expect(await collect(chunks)).toEqual([])
    expect((await speak(SHORT)).length).toBeGreaterThan(32_000)
  })

  test('a slow reader of one stream does not delay another', async () => {
    const slow = await engine.synthesize({ text: LONG, voiceId: 'rms' })
    const iterator = slow.chunks[Symbol.asyncIterator]()
    expect((await iterator.next()).done).toBe(false)
    expect((await speak(SHORT)).length).toBeGreaterThan(32_000)
    expect((await iterator.next()).done).toBe(false)
    await iterator.return?.()
  })

  test('eight concurrent requests give the same audio as single ones', async () => {
    const requests = ['rms', 'slt', 'awb', 'kal16'].flatMap((voice) => [
      [`${SHORT} This is ${voice}.`, voice] as const,
      ['Another text. It has three sentences, no more. Good.', voice] as const,
    ])
    const alone: Buffer[] = []
    for (const [text, voice] of requests) alone.push(await speak(text, voice))
    const together = await Promise.all(requests.map(async ([text, voice]) => speak(text, voice)))
    expect(together.map((pcm, index) => Buffer.compare(pcm, alone[index] ?? Buffer.alloc(0)))).toEqual(Array(8).fill(0))
  })

  test('two concurrent requests take turns', async () => {
    const order: string[] = []
    const follow = async (name: string): Promise<void> => {
      const { chunks } = await engine.synthesize({ text: 'Aha. '.repeat(8), voiceId: 'rms' })
      for await (const chunk of chunks) if (chunk.length > 6400) order.push(name)
    }
    await Promise.all([follow('a'), follow('b')])
    expect(order.lastIndexOf('a')).toBeGreaterThan(order.indexOf('b'))
    expect(order.lastIndexOf('b')).toBeGreaterThan(order.indexOf('a'))
  })

  test('closing rejects running and queued requests', async () => {
    const [spoken, waiting] = await Promise.all([
      engine.synthesize({ text: LONG, voiceId: 'rms' }),
      engine.synthesize({ text: SHORT, voiceId: 'slt' }),
    ])
    const iterator = spoken.chunks[Symbol.asyncIterator]()
    await iterator.next()
    const outcomes = Promise.allSettled([collect({ [Symbol.asyncIterator]: () => iterator }), collect(waiting.chunks)])
    await engine.close()
    for (const outcome of await outcomes)
      expect(outcome).toEqual({ status: 'rejected', reason: expect.any(EngineClosedError) })
  })

  test('a closed engine refuses requests and can be closed again', async () => {
    const { chunks } = await engine.synthesize({ text: SHORT, voiceId: 'rms' })
    await engine.close()
    await engine.close()
    await expect(collect(chunks)).rejects.toThrow(EngineClosedError)
    await expect(speak(SHORT)).rejects.toThrow(EngineClosedError)
  })
})

test('an aborted creation of an engine leaves no thread', async () => {
  const controller = new AbortController()
  const made = createFliteEngine({ workers: 2, signal: controller.signal })
  controller.abort(new Error('not wanted'))
  await expect(made).rejects.toThrow('not wanted')
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('of an engine’s threads idle for a minute, one stays and speaks', async () => {
  const clock = new ManualClock()
  const engine = await createFliteEngine({ workers: 2, clock })
  const speak = async (): Promise<number> => {
    const { chunks } = await engine.synthesize({ text: SHORT, voiceId: 'rms' })
    return Buffer.concat(await collect(chunks)).length
  }
  await Promise.all([speak(), speak()])
  // Both have spoken: no watchdog's timer is left.
  await vi.waitFor(() => expect(clock.delays).toEqual([60_000]), 30_000)
  await clock.pass(60_000)
  expect(clock.timers).toBe(0)
  expect(await speak()).toBeGreaterThan(32_000)
  await engine.close()
  expect(clock.timers).toBe(0)
})

describe('a process with a flite engine', () => {
  const run = promisify(execFile)

  async function output(script: string): Promise<string> {
    const start = `import { createFliteEngine } from ${JSON.stringify(new URL('flite-engine.ts', import.meta.url).href)}
      const engine = await createFliteEngine()
      const { chunks } = await engine.synthesize({ text: ${JSON.stringify(LONG)}, voiceId: 'rms' })
      const iterator = chunks[Symbol.asyncIterator]()
      console.log((await iterator.next()).value.length)\n`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', start + script])
    return stdout
  }

  test('exits by itself with an open engine and an unread stream', async () => {
    expect(await output(`console.log('end')`)).toBe('8192\nend\n')
  })

  test('exits when the engine is closed in the middle of a stream', async () => {
    const script = `
      const reading = (async () => {
        while (!(await iterator.next()).done);
      })().catch((error) => console.log(error.name))
      await engine.close()
      await reading`
    expect(await output(script)).toBe('8192\nEngineClosedError\n')
  })

  test('stays until awaited speech is complete', async () => {
    const script = `
      let bytes = 8192
      for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) {
        bytes += chunk.length
        if (bytes > 1_000_000) break
      }
      console.log(bytes > 1_000_000)`
    expect(await output(script)).toBe('8192\ntrue\n')
  })
})
