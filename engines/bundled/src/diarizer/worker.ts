/* The worker thread that distinguishes the speakers of one recording. `recordings.ts` defines its messages. */
import { parentPort, workerData } from 'node:worker_threads'

import type { Diarization } from '@svc-audio/engine-ports'
import type { RecordingReply, RecordingRequest } from '../threads/recordings.ts'
import { stepThreadBack } from '@svc-audio/engine-ports/driver'
import { loadRuntime } from '../onnx/runtime.ts'
import type { DiarizerData } from './diarizer-engine.ts'
import { Diarizer } from './diarizer.ts'
import { VoiceEncoder } from './voice-encoder.ts'

const { graph = await installedGraph(), runtime }: DiarizerData = workerData
const diarizer = new Diarizer(
  graph === false ? undefined : async () => VoiceEncoder.load(await loadRuntime(runtime), graph),
)

async function installedGraph(): Promise<string | false> {
  try {
    return (await import('@svc-audio/campplus')).campplusFile
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return false
    throw error
  }
}

async function respond(request: RecordingRequest): Promise<RecordingReply<Diarization>> {
  if (request.type === 'end') return { type: 'result', result: await diarizer.end() }
  if (request.background === true) stepThreadBack()
  await diarizer.push(request.samples)
  return { type: 'consumed' }
}

let last: Promise<void> = Promise.resolve()
parentPort?.on('message', (request: RecordingRequest) => {
  // One after the other. A failure is not handled: it ends the thread, which reports it.
  last = last.then(async () => parentPort?.postMessage(await respond(request), []))
})
