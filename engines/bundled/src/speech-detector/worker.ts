/* The worker thread that finds speech in live recordings. `LiveRequest` has its messages. Any error ends it. */
import { parentPort, workerData } from 'node:worker_threads'
import { DETECTOR_FRAME_SAMPLES, type SpeechDetector } from '@svc-audio/engine-ports'
import { loadRuntime } from '../onnx/runtime.ts'
import type { LiveDetectorData, LiveReply, LiveRequest } from './live-detectors.ts'
import { loadSilero, type OpenDetector } from './silero.ts'

/** A recording: what its detector has heard, and the begin of its next frame. */
interface Recording {
  readonly detector: SpeechDetector
  rest: Int16Array
}

// Untyped by nature; only the driver starts this file.
const { runtime, silero }: LiveDetectorData = workerData

const recordings = new Map<number, Recording>()

/** Returns the probability of speech in each frame that the samples complete. */
async function judge(recording: Recording, samples: Int16Array): Promise<number[]> {
  const sound = new Int16Array(recording.rest.length + samples.length)
  sound.set(recording.rest)
  sound.set(samples, recording.rest.length)
  const speech: number[] = []
  let at = 0
  for (; at + DETECTOR_FRAME_SAMPLES <= sound.length; at += DETECTOR_FRAME_SAMPLES) {
    speech.push(await recording.detector.judge(sound.subarray(at, at + DETECTOR_FRAME_SAMPLES)))
  }
  recording.rest = sound.slice(at)
  return speech
}

async function handle(open: OpenDetector, request: LiveRequest): Promise<void> {
  const { id } = request
  if (request.type === 'close') {
    recordings.delete(id)
    return
  }
  let recording = recordings.get(id)
  if (recording === undefined) {
    recording = { detector: open(), rest: new Int16Array(0) }
    recordings.set(id, recording)
  }
  const reply: LiveReply = { id, speech: await judge(recording, request.samples) }
  parentPort?.postMessage(reply, [])
}

// Requests wait in the port until the graph is loaded.
const openDetector = await loadSilero(await loadRuntime(runtime), silero)
let work = Promise.resolve()
parentPort?.on('message', (request: LiveRequest) => {
  work = work.then(() => handle(openDetector, request))
})
