import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { isAlive } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { SCRIPT, SCRIPTED_RECORDING_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { ENGINE_PRIORITY } from '@svc-audio/engine-ports/driver'
import { RecordingJob, type RecordingReply } from './recordings.ts'
import { SupervisedThread } from './supervised-thread.ts'
import type { Thread } from './thread.ts'
import { WorkerProcess, type WorkerProcessOptions } from './worker-process.ts'

const ECHO = new URL('../../test/echo-worker.ts', import.meta.url)
const SCRIPTED = SCRIPTED_RECORDING_WORKER
const PROGRAM = fileURLToPath(new URL('../../test/host-program.ts', import.meta.url))

const hosts: WorkerProcess[] = []
const programs: ChildProcess[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
  for (const program of programs.splice(0)) program.kill('SIGKILL')
})

function open(options: WorkerProcessOptions = {}): WorkerProcess {
  const host = new WorkerProcess(options)
  hosts.push(host)
  return host
}

/** The events of a thread, in order. */
interface Heard {
  readonly thread: Thread<unknown>
  readonly messages: unknown[]
  readonly errors: unknown[]
  /** Its exit code. */
  readonly exit: Promise<number>
  readonly next: () => Promise<unknown>
}

function listen(thread: Thread<unknown>): Heard {
  const { promise: exit, resolve } = Promise.withResolvers<number>()
  const messages: unknown[] = []
  const errors: unknown[] = []
  thread.on('message', (message) => messages.push(message))
  thread.on('error', (error) => errors.push(error))
  thread.on('messageerror', (error) => errors.push(error))
  thread.on('exit', resolve)
  let read = 0
  const next = async (): Promise<unknown> => {
    await vi.waitFor(() => expect(messages.length).toBeGreaterThan(read), { timeout: 30_000 })
    read += 1
    return messages[read - 1]
  }
  return { thread, messages, errors, exit, next }
}

const echo = (host: WorkerProcess, data?: unknown): Heard => listen(host.start(ECHO, { name: 'echo', data }))

const gone = (pid: number): Promise<void> => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 })

describe('a thread of a host', () => {
  test('runs in another process, shared by all threads of the host', async () => {
    const host = open()
    const [first, second] = [await echo(host, { limit: 1 }).next(), await echo(host).next()]
    expect(first).toMatchObject({ pid: host.pid, workerData: { limit: 1 } })
    expect(second).toMatchObject({ pid: host.pid, workerData: undefined })
    expect(host.pid).not.toBe(process.pid)
  })

  test.runIf(threadsHavePriorities)('steps back behind requests, with every thread of the host', async () => {
    const host = open()
    await echo(host).next()
    expect(prioritiesOf(host.pid ?? 0)).toEqual([ENGINE_PRIORITY])
  })

  test.runIf(threadsHavePriorities)('has the priority of the setting', async () => {
    const host = open({ priorities: { engine: 9, background: 12 } })
    await echo(host).next()
    expect(prioritiesOf(host.pid ?? 0)).toEqual([9])
  })

  test('receives and returns bytes unchanged, each in a separate buffer', async () => {
    const { thread, next } = echo(open(), { binary: Uint8Array.of(7, 8) })
    expect(await next()).toMatchObject({ workerData: { binary: Uint8Array.of(7, 8) } })
    const samples = Int16Array.from({ length: 8000 }, (_, index) => index * 7 - 28_000)
    // Among other views, at an odd offset, and larger than a pipe.
    const bytes = new Uint8Array(1_000_003).map((_, index) => index % 251).subarray(1, 1_000_002)
    thread.postMessage({ type: 'samples', samples }, [samples.buffer])
    thread.postMessage(bytes, [])
    thread.postMessage({ text: 'é', list: [1, undefined, null], nested: { flag: true } }, [])
    const response = await next()
    expect(response).toEqual({ type: 'samples', samples })
    expect(Reflect.get(Object(response), 'samples').buffer.byteLength).toBe(16_000)
    expect(await next()).toEqual(bytes)
    expect(await next()).toEqual({ text: 'é', list: [1, undefined, null], nested: { flag: true } })
    // Nothing was transferred.
    expect(samples.length).toBe(8000)
  })

  test.each([
    ['throw', new Error('thrown as told')],
    ['reject', 'a string as told'],
  ])('that fails (%s) reports it and exits without affecting others', async (message, error) => {
    const host = open()
    const [failing, other] = [echo(host), echo(host)]
    failing.thread.postMessage(message, [])
    expect(await failing.exit).toBe(1)
    expect(failing.errors).toEqual([error])
    await other.next()
    other.thread.postMessage('still here?', [])
    expect(await other.next()).toBe('still here?')
  })

  test('with a missing file reports it and exits', async () => {
    const heard = listen(open().start(new URL('file:///nowhere/nothing.js'), { name: 'nothing' }))
    expect(await heard.exit).toBe(1)
    expect(String(heard.errors)).toContain('nothing.js')
  })

  test('reports a message that cannot leave its process', async () => {
    const { thread, next, errors } = echo(open())
    await next()
    thread.postMessage('strange', [])
    await vi.waitFor(() => expect(errors).toHaveLength(1), 30_000)
    thread.postMessage('and now?', [])
    expect(await next()).toBe('and now?')
  })

  test('refuses messages that cannot be sent', () => {
    expect(() => echo(open()).thread.postMessage({ call: () => 1 }, [])).toThrow(/could not be cloned/)
  })

  test('processes a recording', async () => {
    const start = (): Thread<RecordingReply<unknown>> => open().start(SCRIPTED, { name: 'scripted' })
    const thread = new SupervisedThread(start, { label: 'The listener' })
    const blocks = Array.from({ length: 50 }, () => new Int16Array(8000))
    const job = new RecordingJob({ next: async () => blocks.pop() })
    const found = await thread.run(job, new AbortController().signal)
    expect(found).toEqual({ segments: [], durationSeconds: 25 })
    await thread.free()
  })
})

describe('the process of a host', () => {
  test('exists from the first thread to the last', async () => {
    const host = open()
    expect(host.pid).toBeUndefined()
    const [one, other] = [echo(host), echo(host)]
    const { pid = 0 } = host
    await Promise.all([one.next(), other.next()])
    await one.thread.terminate()
    expect(host.pid).toBe(pid)
    expect(isAlive(pid)).toBe(true)
    await other.thread.terminate()
    expect(host.pid).toBeUndefined()
    await gone(pid)
    expect(await echo(host).next()).toMatchObject({ pid: host.pid })
  })

  test('fails each thread when it is killed, and the next thread starts another process', async () => {
    const host = open()
    const threads = [echo(host), echo(host)]
    await Promise.all(threads.map(({ next }) => next()))
    const { pid = 0 } = host
    process.kill(pid, 'SIGKILL')
    expect(await Promise.all(threads.map(({ exit }) => exit))).toEqual([1, 1])
    expect(threads.map(({ errors }) => String(errors))).toEqual(
      Array.from({ length: 2 }, () => 'Error: The process of the threads ended (SIGKILL)'),
    )
    // A caller that does not know yet gets no further event.
    for (const { thread } of threads) {
      thread.postMessage('anyone?', [])
      await thread.terminate()
    }
    const next = await echo(host).next()
    expect(next).toMatchObject({ pid: host.pid })
    expect(host.pid).not.toBe(pid)
  })

  test('ignores the signals that end the service, which decides itself when its work is done', async () => {
    const host = open()
    const { thread, next } = echo(host)
    await next()
    const { pid = 0 } = host
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
    thread.postMessage('still here?', [])
    expect(await next()).toBe('still here?')
  })

  test('exits with busy threads', async () => {
    const host = open()
    const heard = listen(host.start(SCRIPTED, { name: 'scripted' }))
    heard.thread.postMessage({ type: 'samples', samples: Int16Array.of(SCRIPT.hang) }, [])
    const { pid = 0 } = host
    await host.close()
    expect(isAlive(pid)).toBe(false)
    expect(await heard.exit).toBe(1)
    await host.close()
  })

  test('fails its threads when it cannot start', async () => {
    const program = process.execPath
    const host = open()
    try {
      process.execPath = '/nowhere/node'
      const heard = echo(host)
      expect(await heard.exit).toBe(1)
      expect(String(heard.errors)).toContain('ENOENT')
    } finally {
      process.execPath = program
    }
  })
})

describe('a host that is stopped', () => {
  test('is killed and fails its threads, and the next thread gets another host', async () => {
    const host = open({ patience: 2000 })
    const heard = echo(host)
    await heard.next()
    const { pid = 0 } = host
    process.kill(pid, 'SIGSTOP')
    expect(await heard.exit).toBe(1)
    expect(String(heard.errors)).toContain('stopped responding')
    await gone(pid)
    const { thread, next } = echo(host)
    expect(await next()).toMatchObject({ pid: host.pid })
    thread.postMessage('works', [])
    expect(await next()).toBe('works')
  })

  test('for a shorter time than the patience continues', async () => {
    const host = open({ patience: 60_000 })
    const { thread, next } = echo(host)
    await next()
    const { pid = 0 } = host
    process.kill(pid, 'SIGSTOP')
    thread.postMessage('later', [])
    process.kill(pid, 'SIGCONT')
    expect(await next()).toBe('later')
    expect(host.pid).toBe(pid)
  })
})

describe('a program with a host', () => {
  function start(...args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
    const program = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    programs.push(program)
    return program
  }

  async function hostOf({ stdout }: { readonly stdout: Readable }): Promise<number> {
    return Number(String((await once(stdout, 'data'))[0]))
  }

  test('that waits for no thread exits by itself, with its host', async () => {
    const program = start()
    const exited = once(program, 'exit')
    const pid = await hostOf(program)
    expect(pid).toBeGreaterThan(0)
    expect(await exited).toEqual([0, null])
    await gone(pid)
  })

  test('that ends a thread sees its exit', async () => {
    const program = start('end')
    const said = text(program.stdout)
    expect(await once(program, 'exit')).toEqual([0, null])
    expect(await said).toContain('ended')
  })

  test('that is killed ends its host, even with a hanging thread', async () => {
    const program = start('busy')
    const pid = await hostOf(program)
    expect(isAlive(pid)).toBe(true)
    program.kill('SIGKILL')
    await gone(pid)
  })
})
