import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TimeoutError } from '../errors.ts'
import { ReceivedBody } from './received-body.ts'

/** What a body asks of its connection. */
class Connection implements Dispatcher.DispatchController {
  readonly asked: string[] = []
  readonly aborted = false
  readonly paused = false
  readonly reason = null

  pause(): void {
    this.asked.push('pause')
  }

  resume(): void {
    this.asked.push('resume')
  }

  abort(): void {
    this.asked.push('abort')
  }
}

const KB = 1024

function open(): { body: ReceivedBody; connection: Connection; caller: AbortController } {
  const connection = new Connection()
  const caller = new AbortController()
  return { body: new ReceivedBody(connection, caller.signal), connection, caller }
}

/** How many bytes each chunk has that can be read. */
async function sizes(body: ReceivedBody): Promise<number[]> {
  const read: number[] = []
  for await (const chunk of body) read.push(chunk.byteLength)
  return read
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('chunks come in order, before and after somebody waits for them', async () => {
  const { body } = open()
  body.add(new Uint8Array(1))
  const read = sizes(body)
  await Promise.resolve()
  body.add(new Uint8Array(2))
  body.add(new Uint8Array(3))
  body.finish({})
  expect(await read).toEqual([1, 2, 3])
})

test('a body without bytes is over at once', async () => {
  const { body } = open()
  body.finish({})
  expect(await sizes(body)).toEqual([])
})

test('bytes before an error are read before the error', async () => {
  const { body } = open()
  const error = new Error('cut')
  body.add(new Uint8Array(1))
  body.finish({ error })
  expect(await body.next()).toMatchObject({ done: false })
  await expect(body.next()).rejects.toBe(error)
})

test('an error that is falsy is an error', async () => {
  const { body } = open()
  body.finish({ error: undefined })
  await expect(body.next()).rejects.toBeUndefined()
})

test("undici's deadline between two chunks is a TimeoutError", async () => {
  const { body } = open()
  const read = body.next()
  body.finish({ error: Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' }) })
  await expect(read).rejects.toBeInstanceOf(TimeoutError)
})

test('a connection pauses at 64 KB of unread bytes, and resumes below that', async () => {
  const { body, connection } = open()
  body.add(new Uint8Array(63 * KB))
  expect(connection.asked).toEqual([])
  body.add(new Uint8Array(KB))
  expect(connection.asked).toEqual(['pause'])
  await body.next()
  expect(connection.asked).toEqual(['pause', 'resume'])
})

test('only the first end counts', async () => {
  const { body } = open()
  body.finish({})
  body.finish({ error: new Error('later') })
  expect(await sizes(body)).toEqual([])
})

test('an abort drops unread bytes and rejects with its reason', async () => {
  const { body, connection } = open()
  body.add(new Uint8Array(1))
  body.abort('reason')
  expect(connection.asked).toEqual(['abort'])
  await expect(body.next()).rejects.toBe('reason')
})

test('an abort of the signal after the end keeps the rest from being read', async () => {
  const { body, caller } = open()
  body.add(new Uint8Array(1))
  body.finish({})
  caller.abort('reason')
  await expect(body.next()).rejects.toBe('reason')
})

test('a cancelled body closes the connection, and a pending read settles', async () => {
  const { body, connection } = open()
  const read = body.next()
  body.cancel()
  expect(connection.asked).toEqual(['abort'])
  await expect(read).rejects.toThrow('cancelled')
})

test('an early end of an iteration cancels the body', async () => {
  const { body, connection } = open()
  body.add(new Uint8Array(1))
  for await (const chunk of body) {
    expect(chunk.byteLength).toBe(1)
    break
  }
  expect(connection.asked).toContain('abort')
})

test('chunks after a cancellation are dropped', async () => {
  const { body } = open()
  body.cancel()
  body.add(new Uint8Array(1))
  await expect(body.next()).rejects.toThrow('cancelled')
})

test('cancelling does nothing after the end', () => {
  const { body, connection } = open()
  body.finish({})
  body.cancel()
  expect(connection.asked).toEqual([])
})

test('a release lets the connection be used again when the end comes soon', () => {
  const { body, connection } = open()
  body.add(new Uint8Array(64 * KB))
  body.release()
  expect(connection.asked).toEqual(['pause', 'resume'])
  body.finish({})
  expect(vi.getTimerCount()).toBe(0)
  expect(connection.asked).not.toContain('abort')
})

test('a release cancels after 64 KB without the end', () => {
  const { body, connection } = open()
  body.release()
  body.add(new Uint8Array(64 * KB))
  expect(connection.asked).toEqual(['resume'])
  body.add(new Uint8Array(1))
  expect(connection.asked).toEqual(['resume', 'abort'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a release cancels after a second without the end', () => {
  const { body, connection } = open()
  body.release()
  vi.advanceTimersByTime(999)
  expect(connection.asked).not.toContain('abort')
  vi.advanceTimersByTime(1)
  expect(connection.asked).toEqual(['resume', 'abort'])
})

test('a release after the end leaves no timer', () => {
  const { body } = open()
  body.finish({})
  body.release()
  expect(vi.getTimerCount()).toBe(0)
})
