/*
 * A worker thread with the protocol of a recognition thread, without recognition. The first sample of each block is its
 * script: see `SCRIPT` in `script.ts`. Its text has the number of the recording and of its samples.
 */
import { parentPort } from 'node:worker_threads'
import { SCRIPT } from './script.ts'

/** Requests of the protocol. The fixtures do not import the engines, whose tests use them. */
type ThreadRequest =
  | { readonly type: 'begin'; readonly keyterms: readonly string[] }
  | { readonly type: 'samples'; readonly samples: Int16Array }
  | { readonly type: 'end' | 'cancel' }

let recordings = 0
let samples = 0
let silent = false
let keyterms: readonly string[] = []

function reply(message: object): void {
  parentPort?.postMessage(message, [])
}

function take(block: Int16Array): void {
  samples += block.length
  if (block[0] === SCRIPT.crash) throw new RangeError('crashed as told')
  if (block[0] === SCRIPT.exit) process.exit(0)
  if (block[0] === SCRIPT.hangAtEnd) silent = true
  if (block[0] === SCRIPT.hang) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (block[0] === SCRIPT.say) {
    reply({ type: 'heard', heard: { words: [{ word: keyterms.join(), startSecond: 0, endSecond: 1 }] } })
  }
  if (block[0] !== SCRIPT.keep) reply({ type: 'consumed' })
}

parentPort?.on('message', (request: ThreadRequest) => {
  if (request.type === 'begin') {
    recordings += 1
    samples = 0
    keyterms = request.keyterms
  }
  if (request.type === 'samples') take(request.samples)
  if (request.type === 'cancel') reply({ type: 'cancelled' })
  if (request.type === 'end' && !silent) {
    const text = `recording ${recordings}`
    reply({ type: 'result', result: { text, words: [], durationSeconds: samples / 16_000 } })
  }
})
