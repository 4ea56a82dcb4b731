/*
 * The thread that owns the connection that writes. `database-protocol.ts` defines its messages. Each call runs in a
 * group commit, and is answered when its group is on the disk.
 */
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { openWriter } from './database.ts'
import {
  type DatabaseCommit,
  type DatabaseOpening,
  type DatabaseReply,
  type DatabaseRequest,
  type DatabaseThreadData,
  packError,
} from './database-thread.ts'
import { FolderMarking } from './folder-mark.ts'
import { GroupCommit } from './group-commit.ts'
import { ServiceDatabase } from './service-database.ts'
import { createStores } from './stores.ts'

const port = parentPort
if (port === null) throw new Error('The database needs a thread of its own')

/** Replies of the group that was just committed. They leave together. */
const replies: DatabaseReply[] = []
function reply(one: DatabaseReply): void {
  replies.push(one)
  if (replies.length === 1) queueMicrotask(() => port?.postMessage(replies.splice(0)))
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `DatabaseThread` sends it
const { path, ...options } = workerData as DatabaseThreadData
try {
  const connection = openWriter(path)
  const stores = createStores(new ServiceDatabase(connection, connection), options)
  const marking = new FolderMarking(connection, dirname(path))
  const group = new GroupCommit(connection, (milliseconds) => {
    marking.noteCommit()
    port.postMessage({ commit: milliseconds } satisfies DatabaseCommit)
  })
  marking.start((work) => group.run(work))
  const serve = async (request: Exclude<DatabaseRequest, 'close'>): Promise<void> => {
    const { id, store, method, args } = request
    try {
      const called: unknown = Reflect.get(stores[store], method)
      if (typeof called !== 'function') throw new TypeError(`The store ${store} has no method ${method}`)
      const value = await group.run(async (): Promise<unknown> => Reflect.apply(called, stores[store], args))
      reply({ id, value })
    } catch (error) {
      reply({ id, error: packError(error) })
    }
  }
  const close = async (): Promise<void> => {
    await group.idle()
    marking.stop()
    connection.close()
    port.close()
  }
  port.on('message', (request: DatabaseRequest) => void (request === 'close' ? close() : serve(request)))
  port.postMessage({ open: true } satisfies DatabaseOpening)
} catch (error) {
  port.postMessage({ open: false, error: packError(error) } satisfies DatabaseOpening)
  port.close()
}
