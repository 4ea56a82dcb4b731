import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceReport } from './service-report.ts'
import { TaskBook } from './task-book.ts'

/** Process entry: a service that answers at once, and reports its requests to the parent on demand. */
const MODELS = JSON.stringify({
  object: 'list',
  data: ['svc-tts-1.5-flash', 'svc-tts-1.0-pro', 'svc-ttsd-1.0', 'svc-transcribe-1.0'].map((id) => ({
    id,
    object: 'model',
    created: 1_767_225_600,
    owned_by: 'svc',
  })),
})

const SPEECH = JSON.stringify({
  id: 'speech-1',
  object: 'audio.speech',
  status: 'SUCCESS',
  url: 'http://127.0.0.1/results/speech-1',
  response_format: 'mp3',
  content_type: 'audio/mpeg',
  created_at: 1_767_225_600,
})

const TASK = '/v1/audio/tasks/'

let requests = 0
let sockets = 0
let book = new TaskBook()

const server = createServer((request, response) => {
  requests += 1
  const answer = (): void => {
    const body = responseOf(request)
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body ?? ''),
      'x-request-id': `request-${requests}`,
    })
    response.end(body)
  }
  if (request.method === 'GET') answer()
  else request.on('end', answer).resume()
})

function responseOf({ method, url = '' }: IncomingMessage): string | undefined {
  if (method === 'GET' && url === '/v1/models') return MODELS
  if (method === 'GET' && url.startsWith(TASK)) return book.read(url.slice(TASK.length))
  return method === 'POST' && url === '/v1/audio/speech' ? SPEECH : undefined
}

function report(): ServiceReport {
  const { earlyReads, finishedTasks } = book
  const told = { requests, sockets, earlyReads, finishedTasks }
  requests = 0
  sockets = 0
  book = new TaskBook()
  return told
}

server.on('connection', () => (sockets += 1))
// Connections must survive the pause between two rounds of polls.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has this kind of address.
  const { port } = server.address() as AddressInfo
  process.send?.(port)
})
process.on('message', () => process.send?.(report()))
// Without the parent, no requests will arrive.
process.once('disconnect', () => process.exit())
