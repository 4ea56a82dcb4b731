/* The worker thread of the voice `joe`: answers each `JoeJob` with its bytes. `workerData` names the runtime. */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { joeFiles } from '@svc-audio/joe-en'

import { createEnglishRules } from '../flite/program.ts'
import type { WorkerReply } from '../threads/worker-pool.ts'
import { openDictionary } from './dictionary.ts'
import { loadVoice } from './graphs.ts'
import type { JoeData, JoeJob } from './joe-engine.ts'
import { toNumbers } from './phonemes.ts'
import { Reader } from './reader.ts'

// Untyped by nature; only the engine starts this file.
const { runtime }: JoeData = workerData

// Requests wait in the port in the meantime.
const [voice, reader] = await Promise.all([
  loadVoice(joeFiles, runtime),
  Promise.all([readFile(joeFiles.words), createEnglishRules()]).then(
    ([words, rules]) => new Reader(openDictionary(words), rules),
  ),
])

async function work(job: JoeJob): Promise<Uint8Array<ArrayBuffer>> {
  if (job.kind === 'plan') {
    const frames = await voice.plan(toNumbers(reader.read(job.text)), job.stretch)
    return new Uint8Array(frames.buffer)
  }
  // The bytes may start anywhere in their buffer.
  const frames = new Float32Array(job.frames.slice().buffer)
  return new Uint8Array((await voice.sound(frames, job.before, job.after)).buffer)
}

async function answer(job: JoeJob): Promise<void> {
  let reply: WorkerReply<Uint8Array<ArrayBuffer>>
  try {
    reply = { result: await work(job) }
  } catch (error) {
    reply = { failure: String(error) }
  }
  parentPort?.postMessage(reply, 'result' in reply ? [reply.result.buffer] : [])
}

parentPort?.on('message', (job: JoeJob) => void answer(job))
