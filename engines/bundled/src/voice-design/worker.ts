/*
 * The worker thread that measures one voice sample. `recording-protocol.ts` defines its messages. `workerData` holds
 * the accepted lengths.
 */
import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'

import { analyseSample } from './analyse-sample.ts'
import { type SampleLimits, UnusableSampleError } from '@svc-audio/engine-ports'
import type { RecordingReply, RecordingRequest } from '../threads/recordings.ts'
import type { Analysis } from './sample-analyser.ts'

// Untyped by nature; only the driver starts this file.
const limits: SampleLimits = workerData

function reply(message: RecordingReply<Analysis>): void {
  parentPort?.postMessage(message, [])
}

/** Yields the samples as bytes. Asking for the next block consumes the last one. */
async function* received(): AsyncGenerator<Uint8Array> {
  if (parentPort === null) return
  for await (const [message] of on(parentPort, 'message')) {
    // Untyped by nature; only the driver has this port.
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
