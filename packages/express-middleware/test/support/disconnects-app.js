// Plain JavaScript over the built package: the app alone is in this process, without a test runner or a loader.
import { EventEmitter, getEventListeners } from 'node:events'
import { readdirSync } from 'node:fs'
import { queryObjects } from 'node:v8'
import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/express-middleware'
import express from 'express'

// An app that reports everything it holds. The first argument is the service's address; the app prints its own.

/** Signals that ever had a listener. */
const signals = new Set()
const addEventListener = Reflect.get(EventTarget.prototype, 'addEventListener')
EventTarget.prototype.addEventListener = function (...args) {
  if (this instanceof AbortSignal) signals.add(new WeakRef(this))
  return addEventListener.apply(this, args)
}

const client = new AudioClient({ apiKey: 'key', baseUrl: process.argv[2] })
const statuses = {}
const app = express()
app.post('/transcribe', transcribeUpload({ client, model: 'svc-transcribe-1.0' }))
app.get('/held', (request, response, next) => held(request).then((report) => response.json(report), next))
app.use((error, _request, response, _next) => {
  statuses[error.status] = (statuses[error.status] ?? 0) + 1
  response.destroy()
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})

/** Reports open handles, live objects, listeners and the heap, as soon as this request is the only one. */
async function held(request) {
  // Earlier connections were accepted before this one, so they count until they are closed.
  while ((await connections()) > 1) await turn()
  const live = await settled()
  const resources = process.getActiveResourcesInfo()
  return {
    open: {
      sockets: resources.filter((name) => /TCP|Pipe|TLS/.test(name)).toSorted(),
      files: resources.filter((name) => /FS|File/.test(name)),
      descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    },
    live,
    listeners: {
      server: listenersOf(server),
      socket: listenersOf(request.socket),
      process: listenersOf(process),
      signals: [...signals].reduce((sum, ref) => sum + signalListeners(ref.deref()), 0),
    },
    heapBytes: process.memoryUsage().heapUsed,
    statuses,
  }
}

/** Counts live objects. Sockets, requests and streams are emitters; signals are event targets. */
async function settled() {
  // Weak references need turns of the event loop between collections.
  await turn()
  globalThis.gc()
  await turn()
  const live = { targets: queryObjects(EventTarget), emitters: queryObjects(EventEmitter) }
  for (const ref of signals) if (ref.deref() === undefined) signals.delete(ref)
  return live
}

function signalListeners(signal) {
  return signal === undefined ? 0 : getEventListeners(signal, 'abort').length
}

function listenersOf(emitter) {
  return Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]))
}

function connections() {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

function turn() {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
