/* The worker thread that runs flite: answers each `Utterance` with its PCM. `workerData` names the program. */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'

import type { WorkerReply } from '../threads/worker-pool.ts'
import type { SpeakerData } from './flite-engine.ts'
import { speakUtterance, type Utterance } from './utterance.ts'
import { WasiCommand } from './wasi-command.ts'
import { compileWasm, stepThreadBack } from '@svc-audio/engine-ports/driver'

// Untyped by nature; only the engine starts this file.
const { program, background = false }: SpeakerData = workerData
if (background) stepThreadBack()

// Threads of one process share code compiled from the same bytes. Requests wait in the port in the meantime.
const module = await compileWasm(await readFile(program))

let command = new WasiCommand(module)
const image = command.image()

function speak(utterance: Utterance): WorkerReply<Uint8Array<ArrayBuffer>> {
  try {
    return { result: new Uint8Array(speakUtterance(command, utterance).buffer) }
  } catch (error) {
    return { failure: String(error) }
  }
}

parentPort?.on('message', (utterance: Utterance) => {
  const reply = speak(utterance)
  parentPort?.postMessage(reply, 'result' in reply ? [reply.result.buffer] : [])
  // After the response, so the next utterance finds a command ready.
  if (!command.restore(image)) command = new WasiCommand(module)
})
