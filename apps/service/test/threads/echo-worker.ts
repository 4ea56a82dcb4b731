/*
 * A worker thread that says what it is and what it was given: its first message is its `workerData`, then it returns
 * each message, but `'throw'` makes it throw, `'reject'` throw what is no error, and `'strange'` send what cannot leave
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
