import { Readable } from 'node:stream'
import { ProtocolError } from '@svc-audio/core/pure'
import { expect, test, vi } from 'vitest'
import { N8nResponseBody } from '../nodes/SvcAudio/client/n8n-transport.ts'

function options(): { release: () => void; abort: () => void } {
  return { release: vi.fn<() => void>(), abort: vi.fn<() => void>() }
}

test('a body that is read to its end is released, not given up', async () => {
  const behind = options()
  const chunks: Uint8Array[] = []
  for await (const chunk of new N8nResponseBody(Readable.from([Buffer.from('a'), Buffer.from('b')]), behind)) {
    chunks.push(chunk)
  }
  expect(Buffer.concat(chunks).toString()).toBe('ab')
  expect(behind.release).toHaveBeenCalledTimes(1)
  expect(behind.abort).not.toHaveBeenCalled()
})

test('a body that is left early is given up', async () => {
  const behind = options()
  const body = new N8nResponseBody(Readable.from([Buffer.from('a'), Buffer.from('b')]), behind)
  const chunks = body[Symbol.asyncIterator]()
  await chunks.next()
  await chunks.return(undefined)
  expect(behind.abort).toHaveBeenCalledTimes(1)
  expect(behind.release).toHaveBeenCalledTimes(1)
})

test.each(['cancel', 'release'] as const)('%s gives the body up', (method) => {
  const behind = options()
  new N8nResponseBody(Readable.from([]), behind)[method]()
  expect(behind.abort).toHaveBeenCalledTimes(1)
  expect(behind.release).toHaveBeenCalledTimes(1)
})

test('a body that fails while nobody reads it does not end the process', async () => {
  const stream = new Readable({ read() {} })
  const body = new N8nResponseBody(stream, options())
  // an error without a listener is an uncaught exception, which fails this test
  stream.destroy(new Error('the connection broke'))
  await new Promise<void>((resolve) => {
    stream.once('close', resolve)
  })
  await expect(body[Symbol.asyncIterator]().next()).rejects.toThrow('the connection broke')
})

test.each([undefined, null, 'text', {}, Buffer.from('bytes')])('%j is no body', (answer) => {
  expect(() => new N8nResponseBody(answer, options())).toThrow(ProtocolError)
})
