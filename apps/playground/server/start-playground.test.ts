import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { AudioClient } from '@svc-audio/core'
import { serverUrl } from '@svc-audio/testing'
import { VOICE_PROTOCOL } from '@svc-audio/voice'
import type { AttachedVoice } from '@svc-audio/voice/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TALK_PATH } from '../shared/api.ts'
import { attachTalk } from './start-playground.ts'

let server: Server
let talk: AttachedVoice
let client: AudioClient
const failures: unknown[] = []

beforeEach(async () => {
  failures.length = 0
  // Nobody listens there: a conversation that only begins asks for nothing.
  client = new AudioClient({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1' })
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  talk = attachTalk(server, client, (error) => failures.push(error))
})
afterEach(async () => {
  await talk.close()
  server.close()
  await client.close()
})

/** Connects as a page of an origin does. @returns the first message, or why the connection ended */
async function connect(query: string, origin: string): Promise<string> {
  // Node's WebSocket takes headers. Those of browsers do not, and the types are theirs.
  const init = { headers: { origin } } as unknown as string[]
  const socket = new WebSocket(`${serverUrl(server, 'ws')}${TALK_PATH}${query}`, init)
  const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ type: 'start', protocol: VOICE_PROTOCOL, format })),
  )
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.addEventListener('message', ({ data }) => resolve(String(data)))
  socket.addEventListener('close', ({ code }) => resolve(`closed with ${code}`))
  const answer = await promise
  socket.close()
  return answer
}

test('the page of the server talks, and no other page does', async () => {
  expect(JSON.parse(await connect('?voice=rms', serverUrl(server)))).toMatchObject({ type: 'ready', resumed: false })
  expect(await connect('?voice=rms', 'https://evil.example')).toBe('closed with 4403')
  expect(failures).toEqual([])
})
