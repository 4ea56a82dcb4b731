/* The worker thread that distinguishes the speakers of one recording. `recording-protocol.ts` defines its messages. */
import { parentPort } from 'node:worker_threads'

import type { Diarization } from '@svc-audio/engine-ports'
import type { RecordingReply, RecordingRequest } from '../threads/recordings.ts'
import { stepThreadBack } from '@svc-audio/engine-ports/driver'
import { Diarizer } from './diarizer.ts'

const diarizer = new Diarizer()

function respond(request: RecordingRequest): RecordingReply<Diarization> {
  if (request.type === 'end') return { type: 'result', result: diarizer.end() }
  if (request.background === true) stepThreadBack()
  diarizer.push(request.samples)
  return { type: 'consumed' }
}

parentPort?.on('message', (request: RecordingRequest) => {
  parentPort?.postMessage(respond(request), [])
})
