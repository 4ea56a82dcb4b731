import fastify, { type FastifyInstance } from 'fastify'
import { expect, test, vi } from 'vitest'
import { writtenLog } from '../../test/support/telemetry.ts'
import { boundedLog, requestLog } from './log.ts'

test('lines over the bound are dropped, and the next line tells how many', () => {
  const time = { now: 0 }
  const lines: string[] = []
  const log = boundedLog({ write: (line) => lines.push(line) }, { bytesPerSecond: 10, burst: 20, now: () => time.now })
  for (const line of ['a234567890', 'b234567890', 'c234567890', 'd234567890']) log.write(line)
  expect(lines).toEqual(['a234567890', 'b234567890'])
  time.now += 1000
  log.write('e234567890')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ level: 40, dropped: 2, msg: 'log lines were dropped' })
  expect(lines[3]).toBe('e234567890')
})

test('a quiet log may write its burst again', () => {
  const time = { now: 0 }
  const lines: string[] = []
  const log = boundedLog({ write: (line) => lines.push(line) }, { bytesPerSecond: 10, burst: 20, now: () => time.now })
  log.write('x'.repeat(20))
  time.now += 3_600_000
  log.write('y'.repeat(20))
  log.write('z')
  expect(lines).toHaveLength(2)
})

/** An app with a route that works and a route that logs, and the lines that it wrote. */
function logged(level: string): {
  app: FastifyInstance
  lines: () => Record<string, unknown>[]
  children: () => number
} {
  const { log: loggerInstance, lines } = writtenLog(level)
  const child = vi.spyOn(loggerInstance, 'child')
  const app: FastifyInstance = fastify({ loggerInstance, genReqId: () => 'request-1', childLoggerFactory: requestLog })
  app.get('/well', () => 'well')
  app.get('/ill', (request) => {
    request.log.info('hidden at quiet levels')
    request.log.error({ err: new Error('broken') }, 'it broke')
    request.log.warn('twice')
    return 'ill'
  })
  return { app, lines, children: () => child.mock.calls.length }
}

test('a line names its request', async () => {
  const { app, lines } = logged('warn')
  await app.inject('/ill')
  expect(lines()).toMatchObject([
    { level: 50, reqId: 'request-1', msg: 'it broke', err: { message: 'broken' } },
    { level: 40, reqId: 'request-1', msg: 'twice' },
  ])
})

test('a successful request makes no logger, a failed one does', async () => {
  const { app, children } = logged('warn')
  await app.ready()
  const before = children()
  await app.inject('/well')
  expect(children()).toBe(before)
  await app.inject('/ill')
  expect(children()).toBe(before + 1)
})

test('level info logs every request', async () => {
  const { app, lines } = logged('info')
  await app.inject('/well')
  expect(lines().map(({ reqId, msg }) => ({ reqId, msg }))).toEqual([
    { reqId: 'request-1', msg: 'incoming request' },
    { reqId: 'request-1', msg: 'request completed' },
  ])
})

test.each(['error', 'silent'])('level %s is respected', async (level) => {
  const { app, lines } = logged(level)
  await app.inject('/ill')
  expect(lines().map(({ msg }) => msg)).toEqual(level === 'error' ? ['it broke'] : [])
})

test('a child logger carries both bindings', async () => {
  const { app, lines } = logged('warn')
  app.get('/child', (request) => {
    request.log.child({ part: 'one' }).warn('said')
    return ''
  })
  await app.inject('/child')
  expect(lines()).toMatchObject([{ reqId: 'request-1', part: 'one', msg: 'said' }])
})
