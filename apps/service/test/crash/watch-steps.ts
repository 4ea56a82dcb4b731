import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { join, resolve } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Step, stepsFile } from './steps.ts'

/*
 * Loaded before the service (`--import`, in each thread): records syncs, commits and answers, with a copy of synced
 * data to simulate a power cut. With CRASH_AFTER it kills its process after this many steps.
 */
const FOLDER = process.env['CRASH_STEPS'] ?? ''
const CRASH_AFTER = Number(process.env['CRASH_AFTER'] ?? Infinity)

const requests = new AsyncLocalStorage<string | undefined>()
let count = 0

/** Another moment for a kill. */
function moment(): void {
  count += 1
  if (count === CRASH_AFTER) process.kill(process.pid, 'SIGKILL')
}

function watch(): void {
  const log = fs.openSync(stepsFile(FOLDER), 'a')
  // A kill may have cut the last line.
  fs.writeSync(log, '\n')
  const note = (step: Step): void => {
    const request = requests.getStore()
    fs.writeSync(log, `${JSON.stringify(request === undefined ? step : { ...step, request })}\n`)
    moment()
  }
  watchDatabases(note)
  if (isMainThread) {
    watchFiles(note)
    watchResponses(note)
    watchCalls(note)
  } else watchReplies(note)
}

function watchFiles(note: (step: Step) => void): void {
  const { open } = promises
  const watched = async (...parameters: Parameters<typeof open>): Promise<FileHandle> => {
    const handle = await open(...parameters)
    for (const name of ['sync', 'datasync'] as const) {
      const sync = handle[name].bind(handle)
      handle[name] = async () => {
        moment()
        // Data written during the sync may be lost.
        const step = describe(resolve(String(parameters[0])))
        await sync()
        note(step)
      }
    }
    return handle
  }
  Object.assign(promises, { open: watched })
  syncBuiltinESMExports()
}

function describe(path: string): Step {
  const info = fs.statSync(path)
  if (!info.isDirectory()) {
    const copy = join(FOLDER, randomUUID())
    fs.copyFileSync(path, copy)
    return { step: 'file', path, inode: info.ino, copy }
  }
  const names = fs.readdirSync(path).flatMap((name) => {
    const found = fs.statSync(join(path, name), { throwIfNoEntry: false })
    return found === undefined ? [] : [[name, found.ino] as const]
  })
  return { step: 'folder', path, names: Object.fromEntries(names) }
}

/** SQLite syncs in native code. Visible are each commit and its settings. */
function watchDatabases(note: (step: Step) => void): void {
  const changes = new WeakMap<DatabaseSync, unknown>()
  let looking = false
  const look = (database: DatabaseSync): void => {
    if (looking || database.isTransaction) return
    looking = true
    const total = ask(database, 'SELECT total_changes()')
    if (total !== (changes.get(database) ?? 0)) {
      const journal = String(ask(database, 'PRAGMA journal_mode'))
      note({ step: 'commit', journal, synchronous: Number(ask(database, 'PRAGMA synchronous')) })
    }
    changes.set(database, total)
    looking = false
  }
  const databases = new WeakMap<StatementSync, DatabaseSync>()
  wrap(DatabaseSync.prototype, 'prepare', (database, prepare) => {
    const statement = prepare()
    databases.set(statement, database)
    return statement
  })
  wrap(DatabaseSync.prototype, 'exec', (database, exec) => {
    moment()
    exec()
    look(database)
  })
  for (const name of ['run', 'all'] as const) {
    wrap(StatementSync.prototype, name, (statement, execute) => {
      if (WRITES.test(statement.sourceSQL)) moment()
      const result = execute()
      const database = databases.get(statement)
      if (database !== undefined) look(database)
      return result
    })
  }
}

const WRITES = /^\s*(insert|update|delete)/i

/** The single value of a row. */
function ask(database: DatabaseSync, question: string): unknown {
  return Object.values(database.prepare(question).get() ?? {})[0]
}

/** Wraps a method of a class for all callers. */
function wrap<Name extends string, Self extends Record<Name, (...parameters: never[]) => unknown>>(
  prototype: Self,
  name: Name,
  around: (self: Self, original: () => ReturnType<Self[Name]>) => ReturnType<Self[Name]>,
): void {
  const original = prototype[name]
  const wrapped = function (this: Self, ...parameters: never[]): ReturnType<Self[Name]> {
    // The wrapper returns what the method returns.
    return around(this, () => Reflect.apply(original, this, parameters) as ReturnType<Self[Name]>)
  }
  Object.assign(prototype, { [name]: wrapped })
}

function watchResponses(note: (step: Step) => void): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse }
    const key = request.headers['idempotency-key']
    // Covers all work of this request. A request without a key clears the key of the connection's previous request.
    requests.enterWith(typeof key === 'string' ? key : undefined)
    if (typeof key !== 'string') return
    note({ step: 'request' })
    const writeHead: (status: number, ...rest: never[]) => unknown = response.writeHead.bind(response)
    Object.assign(response, {
      writeHead(status: number, ...rest: never[]) {
        note({ step: 'answer', status, request: key })
        return writeHead(status, ...rest)
      },
    })
  })
}

/** The calls that each request makes of the thread of the database. */
function watchCalls(note: (step: Step) => void): void {
  wrapSending(Worker.prototype, (message) => {
    if (isCall(message) && requests.getStore() !== undefined) note({ step: 'call', id: message.id })
  })
}

/** The calls of each commit: their results leave the thread next. */
function watchReplies(note: (step: Step) => void): void {
  if (parentPort === null) return
  wrapSending(parentPort, (message) => {
    if (Array.isArray(message)) note({ step: 'replies', ids: message.filter(isCall).map(({ id }) => id) })
  })
}

function wrapSending(sender: { postMessage: Worker['postMessage'] }, look: (message: unknown) => void): void {
  const original = sender.postMessage
  const wrapped = function (this: unknown, ...parameters: Parameters<Worker['postMessage']>): void {
    look(parameters[0])
    Reflect.apply(original, this, parameters)
  }
  Object.assign(sender, { postMessage: wrapped })
}

function isCall(message: unknown): message is { readonly id: number } {
  return typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number'
}

const isDatabaseThread = !isMainThread && typeof workerData === 'object' && workerData !== null && 'path' in workerData
// Processes of engines inherit the environment, and have a channel.
if (process.channel === undefined && (isMainThread || isDatabaseThread)) watch()
