import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../src/domain/clock.ts'
import { WorkTotals } from '../src/domain/usage.ts'
import { createCodec } from '../src/drivers/codec/create-codec.ts'
import { createTracer } from '../src/drivers/opentelemetry/tracer.ts'
import type { Codec } from '@svc-audio/engine-ports'
import type { Services } from '../src/services.ts'
import { type Changes, semaphoresOf } from './support/fake-services.ts'
import { scriptedEngine, type ScriptedEngine } from './support/scripted-engine.ts'
import { serveApp } from './support/fake-app.ts'

const PATH = '/v1/audio/speech/speakers'
/** 1,000 lines of 100 characters, each a kilobyte of audio: 100 MB in all. */
const LINES = 1000
const body = JSON.stringify({
  model: 'svc-ttsd-1.0',
  speakers: [
    { id: 'a', voice_id: 'one' },
    { id: 'b', voice_id: 'two' },
  ],
  segments: Array.from({ length: LINES }, (_, n) => ({ speaker: n % 2 === 0 ? 'a' : 'b', text: 'x'.repeat(100) })),
  response_format: 'pcm',
})
const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }

describe('a dialogue of 100,000 characters', () => {
  let engine: ScriptedEngine
  let codec: Codec
  let app: Awaited<ReturnType<typeof serveApp>>
  let url: string
  beforeEach(async () => {
    engine = scriptedEngine(1024)
    codec = await createCodec()
    const used: Changes = {
      engines: {
        speech: engine,
        codec,
        semaphores: semaphoresOf(2),
      },
      settings: {
        maxInputCharacters: 100_000,
        maxOutputSeconds: Infinity,
      },
      runtime: {
        clock: systemClock,
        stopping: new AbortController().signal,
        usageCounter: { note: () => {} },
        totals: new WorkTotals(),
        tracer: createTracer(),
      },
      stores: {
        keys: {
          idOf: () => 'key',
          find: async () => ({ id: 'key', tenant: 'first' }),
          create: async () => ({ id: 'id', key: 'key' }),
          list: async () => [],
          delete: async () => false,
          rotate: async () => undefined,
          recordUse: async () => {},
          suspend: async () => {},
          suspended: async () => new Set<string>(),
          count: async () => 1,
        },
      },
    }
    // The dialogue route uses no other service.
    app = await serveApp(used as Services)
    ;({ url } = app)
  })
  afterEach(async () => {
    await app.close()
    await codec.close()
  })

  test('is synthesized while it is read, to its end', async () => {
    const response = await fetch(`${url}${PATH}`, { method: 'POST', headers, body })
    const reader = response.body?.getReader()
    let bytes = (await reader?.read())?.value?.length ?? 0
    expect(bytes).toBeGreaterThan(0)
    expect(engine.begun.length).toBeLessThan(LINES)
    for (;;) {
      const next = await reader?.read()
      if (next?.value === undefined) break
      bytes += next.value.length
    }
    expect(engine.ended).toHaveLength(LINES)
    const gaps = (LINES - 1) * 0.45 * 1000 * 2
    expect(bytes).toBe(LINES * 100 * 1024 + gaps)
  })

  test('stops when the client disconnects', async () => {
    const controller = new AbortController()
    const response = await fetch(`${url}${PATH}`, { method: 'POST', headers, body, signal: controller.signal })
    await response.body?.getReader().read()
    controller.abort()
    await vi.waitFor(() => expect(engine.ended).toEqual(engine.begun), { timeout: 10_000 })
    const begun = engine.begun.length
    expect(begun).toBeLessThan(LINES)
    await sleep(100)
    expect(engine.begun).toHaveLength(begun)
  })

  test('waits for a client that does not read, and is not buffered in memory', async () => {
    const before = process.memoryUsage().arrayBuffers
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.pause()
    const head = Object.entries({ host: 'x', ...headers, 'content-length': Buffer.byteLength(body) })
    socket.write(`POST ${PATH} HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n${body}`)
    await vi.waitFor(() => expect(engine.begun.length).toBeGreaterThan(0), { timeout: 10_000 })
    await sleep(1000)
    // Only the system's socket buffers were filled; the rest was not synthesized.
    expect(engine.begun.length).toBeLessThan(LINES / 4)
    expect((process.memoryUsage().arrayBuffers - before) / 1e6).toBeLessThan(40)
    socket.destroy()
    await vi.waitFor(() => expect(engine.ended).toEqual(engine.begun), { timeout: 10_000 })
  })
})
