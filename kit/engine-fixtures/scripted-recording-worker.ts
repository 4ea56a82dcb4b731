/*
 * A worker thread with the protocol of a recording thread, without recognition. The first sample of each block is its
 * script: see `SCRIPT` in `script.ts`. Its result is the number of received samples.
 */
import { parentPort } from 'node:worker_threads'
import { SCRIPT } from './script.ts'

/** Requests of the protocol. The fixtures do not import the engines, whose tests use them. */
type RecordingRequest = { readonly type: 'samples'; readonly samples: Int16Array } | { readonly type: 'end' }

let samples = 0
let silent = false

function reply(message: object): void {
  parentPort?.postMessage(message, [])
}

parentPort?.on('message', (request: RecordingRequest) => {
  if (request.type === 'end' && silent) return
  if (request.type === 'end')
    return reply({ type: 'result', result: { segments: [], durationSeconds: samples / 16_000 } })
  const [first] = request.samples
  samples += request.samples.length
  if (first === SCRIPT.crash) throw new RangeError('crashed as told')
  if (first === SCRIPT.exit) process.exit(0)
  if (first === SCRIPT.hangAtEnd) silent = true
  if (first === SCRIPT.hang) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (first !== SCRIPT.keep) reply({ type: 'consumed' })
})
