// Calls the app over HTTP, as a browser does.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { WavMeter } from '@svc-audio/core/audio'
import { serverUrl, wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from '../run.ts'
import { createApp } from './app.ts'

const TEXT = 'We will meet at the old bridge tomorrow morning.'
const JSON_TYPE = { 'content-type': 'application/json' }

/** Speaks a sentence, uploads the audio to each route, and stops the app. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const publicUrl = 'https://app.example'
  const { app, client } = createApp({ baseUrl, apiKey, folder, publicUrl })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = serverUrl(server)
  const say = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }).then(ok)
  try {
    const audio = await (await say('/speak', { text: TEXT })).blob()
    const send = (path: string, headers = {}, field = 'file'): Promise<Response> => {
      const form = new FormData()
      form.set('name', 'Ada')
      form.set(field, audio, 'bridge.wav')
      return fetch(url + path, { method: 'POST', headers, body: form }).then(ok)
    }
    const transcript = await fieldOf(await send('/transcribe'), 'text')
    const live = await (await send('/transcribe/live')).text()
    if (!live.includes('transcript.text.done')) throw new Error(`The events are not complete: ${live}`)
    await send('/keep')
    if (!(await readdir(folder)).some((name) => name.endsWith('bridge.wav'))) throw new Error('No file was stored')
    await send('/tenant', { 'x-tenant': 'acme' })
    await send('/voices', {}, 'sample')
    const file = await fieldOf(await send('/files'), 'id')
    await say(`/files/${file}/transcript`, {})
    await say('/dialogue', { lines: ['Where are you?', 'At the old bridge.'] })
    const task = await fieldOf(await say('/speech', { text: TEXT }), 'task_id')
    await client.tasks.wait(task)
    const part = await ok(await fetch(`${url}/speech/${task}`, { headers: { range: 'bytes=0-99' } }))
    if (part.status !== 206) throw new Error(`A range was answered with ${part.status}`)
    const meter = new WavMeter()
    meter.add(new Uint8Array(await audio.arrayBuffer()))
    return {
      audioSeconds: meter.durationSeconds ?? 0,
      transcript,
      wordErrorRate: wordErrorRate(TEXT, transcript),
      summary: 'spoken, uploaded in six ways and played with ranges through an Express app',
    }
  } finally {
    server.closeAllConnections()
    server.close()
    await client.close()
  }
}

async function ok(response: Response): Promise<Response> {
  if (response.ok) return response
  throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`)
}

async function fieldOf(response: Response, name: string): Promise<string> {
  const body: unknown = await response.json()
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  if (typeof value === 'string') return value
  throw new Error(`${response.url} answered without ${name}`)
}
