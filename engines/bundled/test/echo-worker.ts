/*
 * A worker thread that echoes. Its first message is its `workerData`; then it returns each message. Exceptions:
 * `'throw'` makes it throw, `'reject'` makes it throw a string, and `'strange'` makes it send a value that cannot leave
 * its process.
 */
import { parentPort, threadId, workerData } from 'node:worker_threads'

parentPort?.postMessage({ threadId, pid: process.pid, workerData }, [])
parentPort?.on('message', (message: unknown) => {
  if (message === 'throw') throw new RangeError('thrown as told')
  // eslint-disable-next-line no-throw-literal
  if (message === 'reject') throw 'a string as told'
  if (message === 'strange') return parentPort?.postMessage(new SharedArrayBuffer(4), [])
  parentPort?.postMessage(message, [])
})
