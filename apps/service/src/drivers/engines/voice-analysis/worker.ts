/*
 * The worker thread that measures one voice sample; `recording-protocol.ts` says how it is talked to. `workerData` are
 * the lengths that are taken.
 */
import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'

import { analyseSample, type SampleLimits, UnusableSampleError } from '../../../domain/voice-design/analyse-sample.ts'
import type { RecordingReply, RecordingRequest } from '../threads/recording-protocol.ts'
import type { Analysis } from './analysis.ts'

// untyped by nature; the driver starts this file with nothing else
const limits: SampleLimits = workerData

function reply(message: RecordingReply<Analysis>): void {
  parentPort?.postMessage(message, [])
}

/** The samples as bytes; each block is consumed when the next one is asked for. */
async function* received(): AsyncGenerator<Uint8Array> {
  if (parentPort === null) return
  for await (const [message] of on(parentPort, 'message')) {
    // untyped by nature; nobody else has this port
    const request: RecordingRequest = message
    if (request.type === 'end') return
    yield new Uint8Array(request.samples.buffer)
    reply({ type: 'consumed' })
  }
}

try {
  reply({ type: 'result', result: { traits: await analyseSample(received(), limits) } })
} catch (error) {
  if (!(error instanceof UnusableSampleError)) throw error
  reply({ type: 'result', result: { unusable: error.message } })
}
