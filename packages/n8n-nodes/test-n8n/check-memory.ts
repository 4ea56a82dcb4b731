import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { INode } from 'n8n-workflow'
import { callWebhook, type N8nRest } from './rest.ts'
import { type LocalServer, startLocalServer } from './local-server.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import type { N8nServer } from './server.ts'

const MEBIBYTE = 1024 * 1024

/** Size of the audio, each way. */
const AUDIO_BYTES = 200 * MEBIBYTE

/** How much the process may grow, in bytes. */
const MOST_GROWTH = 64 * MEBIBYTE

/** How often the memory is read, in milliseconds. */
const SAMPLE_INTERVAL = 50

/** 200 MB in and 200 MB out, with binary fields in files: n8n's process must not grow with the audio. */
export async function checkMemory(server: N8nServer, rest: N8nRest, folder: string): Promise<string[]> {
  const service = await startBigService()
  try {
    const id = await rest.addCredential('Big', 'svcAudioApi', { apiKey: 'any-key', baseUrl: service.url })
    const credentials = { svcAudioApi: { id, name: 'Big' } }
    const speak = webhook('Speak')
    await rest.addWorkflow(
      {
        name: 'Out',
        nodes: [speak, node('Audio', SVC_AUDIO, { text: 'Much', voice: byId('v') }, { credentials })],
        connections: chain('Speak', 'Audio'),
      },
      { publish: true },
    )
    const listen = webhook('Listen')
    const file = join(folder, 'big.wav')
    await writeFile(file, Buffer.alloc(AUDIO_BYTES))
    await rest.addWorkflow(
      {
        name: 'In',
        nodes: [
          listen,
          node('File', 'readWriteFile', { operation: 'read', fileSelector: file, options: {} }),
          node('Text', SVC_AUDIO, { resource: 'transcription', options: { runAsTask: 'never' } }, { credentials }),
        ],
        connections: chain('Listen', 'File', 'Text'),
      },
      { publish: true },
    )
    return [await grows('out', server, rest, speak), await grows('in', server, rest, listen)]
  } finally {
    await service.close()
  }
}

/** The first run loads code and grows the heap: the second one counts. */
async function grows(way: string, server: N8nServer, rest: N8nRest, start: INode): Promise<string> {
  await callWebhook(rest, start, '')
  const before = await server.memory()
  let most = before
  const timer = setInterval(() => {
    void server.memory().then((now) => (most = Math.max(most, now)))
  }, SAMPLE_INTERVAL)
  await callWebhook(rest, start, '').finally(() => clearInterval(timer))
  const megabytes = `${((most - before) / MEBIBYTE).toFixed(0)} MB for 200 MB ${way}`
  if (most - before > MOST_GROWTH) throw new Error(`n8n grew by ${megabytes}`)
  return `memory: +${megabytes}`
}

/** Speaks 200 MB for any text, and counts the bytes of any file. */
function startBigService(): Promise<LocalServer> {
  const chunk = Buffer.alloc(256 * 1024)
  return startLocalServer(async (request, response) => {
    let received = 0
    for await (const part of request) received += (part as Buffer).byteLength
    if (request.url !== '/v1/audio/speech') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ text: `${received} bytes` }))
      return
    }
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': AUDIO_BYTES })
    for (let sent = 0; sent < AUDIO_BYTES; sent += chunk.byteLength) {
      if (!response.write(chunk)) await once(response, 'drain')
    }
    response.end()
  })
}
