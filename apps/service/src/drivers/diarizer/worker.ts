/*
 * The worker thread that tells the speakers of one recording apart; `protocol.ts` says how it is talked to.
 */
import { parentPort } from 'node:worker_threads'

import { Diarizer } from './diarizer.ts'
import type { ThreadReply, ThreadRequest } from './protocol.ts'

const diarizer = new Diarizer()

function answer(request: ThreadRequest): ThreadReply {
  if (request.type === 'end') return { type: 'result', diarization: diarizer.end() }
  diarizer.push(request.samples)
  return { type: 'consumed' }
}

parentPort?.on('message', (request: ThreadRequest) => {
  parentPort?.postMessage(answer(request), [])
})
