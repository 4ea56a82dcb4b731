import { expect, test } from 'vitest'
import { createGate, type Gate } from '../src/index.ts'
import { connect, rejection, until } from './support/clients.ts'
import { startServer } from './support/servers.ts'
import { SPEECH } from './support/speech.ts'
import type { ServerResponse } from 'node:http'

/** A server that holds every answer back until the test lets it go. */
async function startHolding(): Promise<{ url: string; held: ServerResponse[]; requests: unknown[] }> {
  const held: ServerResponse[] = []
  const { url, requests } = await startServer((request, response) => {
    if (request.method === 'GET') response.end('{"object":"list","data":[]}')
    else held.push(response)
  })
  return { url, held, requests }
}

const finish = (response: ServerResponse | undefined): void => {
  response?.writeHead(200, { 'content-type': 'audio/wav' }).end('abc')
}

test('no more calls that cost money are in flight than the gate has places, and what only reads passes by it', async () => {
  const { url, held } = await startHolding()
  const audio = connect(url, { gate: createGate(2) })
  const calls = [1, 2, 3].map(async () => (await audio.speech.create(SPEECH)).bytes())
  await until(() => held.length === 2)
  await audio.models.list()
  expect(held).toHaveLength(2)
  finish(held[0])
  await until(() => held.length === 3)
  finish(held[1])
  finish(held[2])
  expect(await Promise.all(calls)).toHaveLength(3)
})

test('a place is kept until the audio has been read, or given up', async () => {
  const { url, held } = await startHolding()
  const audio = connect(url, { gate: createGate(1) })
  const first = audio.speech.create(SPEECH)
  await until(() => held.length === 1)
  finish(held[0])
  const body = await first
  const second = audio.speech.create(SPEECH)
  await audio.models.list()
  expect(held).toHaveLength(1)
  body.cancel()
  await until(() => held.length === 2)
  finish(held[1])
  await (await second).bytes()
})

test.each([
  ['an error', (response: ServerResponse) => void response.writeHead(403).end('{}')],
  ['a lost connection', (response: ServerResponse) => void response.destroy()],
])('%s frees the place', async (_, fail) => {
  const { url, held } = await startHolding()
  const audio = connect(url, { gate: createGate(1) })
  const failed = rejection(audio.speech.create(SPEECH))
  await until(() => held.length === 1)
  const next = audio.speech.create(SPEECH)
  if (held[0] !== undefined) fail(held[0])
  await failed
  await until(() => held.length === 2)
  finish(held[1])
  expect(await (await next).bytes()).toHaveLength(3)
})

test('an abort while waiting for a place sends nothing', async () => {
  const { url, held, requests } = await startHolding()
  const audio = connect(url, { gate: createGate(1) })
  const first = audio.speech.create(SPEECH)
  await until(() => held.length === 1)
  const controller = new AbortController()
  const failed = rejection(audio.speech.create(SPEECH, { signal: controller.signal }))
  controller.abort('enough')
  expect(await failed).toBe('enough')
  finish(held[0])
  await (await first).bytes()
  expect(requests).toHaveLength(1)
})

test('a gate of one’s own, for instance over several processes, is asked before each try', async () => {
  const { url, held } = await startHolding()
  const told: string[] = []
  const gate: Gate = {
    acquire: async (signal) => {
      told.push(`in ${signal.aborted}`)
      return () => void told.push('out')
    },
  }
  const call = connect(url, { gate }).speech.create(SPEECH)
  await until(() => held.length === 1)
  finish(held[0])
  await (await call).bytes()
  expect(told).toEqual(['in false', 'out'])
})
