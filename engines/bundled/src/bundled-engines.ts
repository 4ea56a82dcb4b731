import type { EngineDrivers } from '@svc-audio/engine-ports'
import type { Priorities } from '@svc-audio/engine-ports/driver'
import { createDiarizer } from './diarizer/diarizer-engine.ts'
import { bundledSpeech } from './bundled-speech.ts'
import { createMoonshineEngine } from './moonshine/moonshine-engine.ts'
import type { RuntimeChoice } from './onnx/runtime.ts'
import { createLiveDetectors } from './speech-detector/live-detectors.ts'
import { WorkerProcess } from './threads/worker-process.ts'
import { createSampleAnalyser } from './voice-design/sample-analyser.ts'
import { fitVoice } from './voice-design/fit-voice.ts'
import { adjustVoice, fromInstruction } from './voice-design/from-instruction.ts'

/** Options of {@link bundledEngines}. */
export interface BundledEnginesOptions {
  /** Nice values of the engines' processes and of background work. @default 5 and 15 */
  readonly priorities?: Priorities
  /** Returns whether work of another tenant waits. The rest of a long recording then steps back. @default it does */
  readonly othersWait?: () => boolean
  /** What runs the graphs of ONNX Runtime. @default 'auto' */
  readonly runtime?: RuntimeChoice | undefined
}

/**
 * The drivers of the bundled engines. Speech has a process of its own, and everything that listens has another: the
 * recognizer frees its memory while speech stays ready. Nothing starts before an engine is created.
 */
export function bundledEngines(options: BundledEnginesOptions = {}): EngineDrivers {
  const { priorities, othersWait, runtime } = options
  const [speaking, listening] = [new WorkerProcess({ priorities }), new WorkerProcess({ priorities })]
  return {
    speech: bundledSpeech(speaking.start, runtime),
    recognition: {
      name: 'moonshine',
      language: 'en',
      create: ({ workers }) => createMoonshineEngine({ workers, startThread: listening.start, othersWait, runtime }),
    },
    diarization: {
      name: 'voice-prints',
      create: async ({ workers }) => createDiarizer({ workers, startThread: listening.start, othersWait, runtime }),
    },
    designer: { fromSample: fitVoice, fromInstruction, adjust: adjustVoice },
    createDetectors: () => createLiveDetectors({ runtime, startThread: listening.start }),
    createAnalyser: (given) => createSampleAnalyser({ ...given, startThread: listening.start }),
    memory: () => ({ speech: speaking.residentBytes, recognition: listening.residentBytes }),
    measureShare() {
      const shares = [speaking.measureShare(), listening.measureShare()]
      return () => Math.min(...shares.map((share) => share()))
    },
    async close() {
      await Promise.all([speaking.close(), listening.close()])
    },
  }
}
