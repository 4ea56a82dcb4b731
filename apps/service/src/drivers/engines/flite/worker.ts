/*
 * The worker thread that runs flite: answers each `Utterance` with its PCM. `workerData` says where the program is.
 */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'

import type { SpeakerData, WorkerReply } from './pool-thread.ts'
import { speakUtterance, type Utterance } from './utterance.ts'
import { WasiCommand } from './wasi-command.ts'
import { compileWasm } from '../web-assembly.ts'

// untyped by nature; the engine starts this file with nothing else
const { program }: SpeakerData = workerData

// threads of one process share what is compiled from the same bytes; requests wait in the port until then
const module = await compileWasm(await readFile(program))

let spare: WasiCommand | undefined = new WasiCommand(module)

function speak(utterance: Utterance): WorkerReply<Uint8Array<ArrayBuffer>> {
  try {
    const command = spare ?? new WasiCommand(module)
    spare = undefined
    return { result: new Uint8Array(speakUtterance(command, utterance).buffer) }
  } catch (error) {
    return { failure: String(error) }
  }
}

parentPort?.on('message', (utterance: Utterance) => {
  const reply = speak(utterance)
  parentPort?.postMessage(reply, 'result' in reply ? [reply.result.buffer] : [])
  // after the answer: the next utterance then finds an instance ready, a third of a short sentence's time saved
  spare = new WasiCommand(module)
})
