/*
 * A process that runs worker threads for another process. `worker-process-protocol.ts` defines its messages. It exits
 * when the channel to that process closes, whatever its threads do.
 */
import type { HostPong, HostReply, HostRequest } from './worker-process.ts'
import { DEFAULT_PRIORITIES, lowerPriority, setBackgroundPriority } from '@svc-audio/engine-ports/driver'
import { ownedBytes, type Thread, threadHere } from './thread.ts'

// Requests come before engines. New threads inherit the priority.
const [engine = DEFAULT_PRIORITIES.engine, background = DEFAULT_PRIORITIES.background] = process.argv
  .slice(2)
  .map(Number)
lowerPriority(process.pid, engine)
setBackgroundPriority(background)

const threads = new Map<number, Thread<unknown>>()

function tell(reply: HostReply | HostPong): void {
  // A closed channel ends this process anyway.
  process.send?.(reply, undefined, undefined, () => undefined)
}

function tellMessage(id: number, value: unknown): void {
  try {
    tell({ id, event: 'message', value })
  } catch (error) {
    // A thread may send a value that cannot leave the process, such as shared memory.
    tell({ id, event: 'messageerror', value: fitToSend(error) })
  }
}

function start({ id, entry, ...options }: HostRequest & { readonly type: 'start' }): void {
  try {
    const thread = threadHere<unknown>(new URL(entry), { ...options, data: ownedBytes(options.data) })
    thread.on('message', (value) => tellMessage(id, value))
    thread.on('messageerror', (error) => tell({ id, event: 'messageerror', value: fitToSend(error) }))
    thread.on('error', (error) => tell({ id, event: 'error', value: fitToSend(error) }))
    thread.on('exit', (value) => {
      threads.delete(id)
      tell({ id, event: 'exit', value })
    })
    threads.set(id, thread)
  } catch (error) {
    tell({ id, event: 'error', value: fitToSend(error) })
    tell({ id, event: 'exit', value: 1 })
  }
}

/** Copies message and stack of an error, without its other properties. */
function fitToSend(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { message, stack } = error
  return Object.assign(new Error(message), { stack })
}

process.on('message', (request: HostRequest) => {
  if (request.type === 'start') return start(request)
  if (request.type === 'ping') return tell({ event: 'pong', residentBytes: process.memoryUsage.rss() })
  const thread = threads.get(request.id)
  if (request.type === 'terminate') return void thread?.terminate()
  thread?.postMessage(ownedBytes(request.message), [])
})
process.on('disconnect', () => process.exit())
// A terminal or a service manager sends these signals to all its processes. The parent decides when its work is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
