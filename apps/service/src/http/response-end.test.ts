import { once } from 'node:events'
import { connect } from 'node:net'
import fastify, { type FastifyReply } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { whenResponseEnds } from './response-end.ts'

let app = fastify()
let handle: (reply: FastifyReply) => Promise<unknown>
beforeEach(async () => {
  app = fastify({ forceCloseConnections: true })
  app.get('/', (_request, reply) => handle(reply))
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())

const get = (signal?: AbortSignal): Promise<Response> =>
  fetch(app.listeningOrigin, signal === undefined ? {} : { signal })

test('runs its actions in order when the response is sent, over one listener', async () => {
  const ran: string[] = []
  const ended = Promise.withResolvers<undefined>()
  let listeners = 0
  handle = async (reply) => {
    const before = reply.raw.listenerCount('close')
    for (const name of ['first', 'second']) whenResponseEnds(reply, () => void ran.push(name))
    whenResponseEnds(reply, () => ended.resolve(undefined))
    listeners = reply.raw.listenerCount('close') - before
    expect(ran).toEqual([])
    return 'sent'
  }
  expect(await (await get()).text()).toBe('sent')
  await ended.promise
  expect([ran, listeners]).toEqual([['first', 'second'], 1])
})

test('runs its actions when the client disconnects, and later ones at once', async () => {
  const controller = new AbortController()
  const ran: string[] = []
  const done = Promise.withResolvers<undefined>()
  handle = async (reply) => {
    whenResponseEnds(reply, () => void ran.push('early'))
    controller.abort()
    await once(reply.raw, 'close')
    whenResponseEnds(reply, () => void ran.push('late'))
    done.resolve(undefined)
  }
  await expect(get(controller.signal)).rejects.toThrow('aborted')
  await done.promise
  expect(ran).toEqual(['early', 'late'])
})

test('runs the actions of pipelined responses that never got their turn when the client disconnects', async () => {
  const ran: number[] = []
  const replies: FastifyReply[] = []
  handle = async (reply) => {
    const index = replies.push(reply)
    whenResponseEnds(reply, () => void ran.push(index))
    return reply.hijack()
  }
  const { hostname, port } = new URL(app.listeningOrigin)
  const socket = connect(Number(port), hostname)
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20))
  await expect.poll(() => replies.length).toBe(20)
  const [first, second] = replies
  expect([first?.raw.socket === null, second?.raw.socket === null]).toEqual([false, true])
  socket.destroy()
  await expect.poll(() => ran.toSorted((one, other) => one - other)).toEqual(replies.map((_, index) => index + 1))
  for (const reply of replies) whenResponseEnds(reply, () => void ran.push(0))
  expect(ran.filter((index) => index === 0)).toHaveLength(20)
})
