/*
 * A program with a host of one thread. Prints the host's process id. With the argument `busy` it then waits for ever;
 * with `end` it ends the thread and the host.
 */
import { WorkerProcess } from '../src/threads/worker-process.ts'
import { SCRIPT, SCRIPTED_RECORDING_WORKER } from '@svc-audio/kit/engine-fixtures/script.ts'

const host = new WorkerProcess()
const thread = host.start(SCRIPTED_RECORDING_WORKER, { name: 'scripted' })
if (process.argv[2] === 'busy') {
  thread.postMessage({ type: 'samples', samples: Int16Array.of(0) }, [])
  thread.on('message', () => {
    thread.postMessage({ type: 'samples', samples: Int16Array.of(SCRIPT.hang) }, [])
    process.stdout.write(`${host.pid}\n`)
  })
} else {
  thread.unref()
  process.stdout.write(`${host.pid}\n`)
  if (process.argv[2] === 'end') {
    await thread.terminate()
    await host.close()
    process.stdout.write('ended')
  }
}
